// The state of the machine in `step.ts`: everything that one member knows. Rule numbers such as R3:
// docs/reference/rules.md.
import type { Instant } from '@leadership/core/adapter';
import type { Moment } from '@leadership/core/internal/engine';
import type { Declaration } from './election/declaration.ts';
import { type ElectionConfig, type ElectionState, newElection } from './election/state.ts';
import type { GossipConfig, GossipState } from './gossip/context.ts';
import { isAlive, newNode } from './gossip/node.ts';
import type { ScuttlebuttRules } from './rules.ts';

/** The fixed properties of a member. */
export interface MemberConfig extends ElectionConfig, GossipConfig {
  /** The interval at which voters renew their votes. Milliseconds. */
  readonly electionMs: number;
  /** The settings that all members of the group must share (R3). */
  readonly pin: string;
}

/** The state of a member. All times but `startedAt` are milliseconds since then. */
export interface MemberState {
  readonly config: MemberConfig;
  /** The start of the generation, on the monotonic clock. */
  readonly startedAt: Instant;
  readonly gossip: GossipState<Declaration>;
  readonly election: ElectionState;
  /**
   * The voters that have sent a message with the own pin. If there is none: one whose vote, which
   * others have forwarded, names this life (R4).
   */
  readonly contactedBy: readonly string[];
  readonly isRefused: boolean;
  /** The next round of gossip, and the next renewal of the vote. */
  readonly gossipAt: number;
  readonly electionAt: number;
  /** When a living member is suspected, unless another beat of it arrives before. */
  readonly suspectAt: number;
  /** When the election needs a review without any input. */
  readonly reviewAt: number;
}

/** Whether another member seems to live (S2). */
export function seemsAlive(
  { gossip, startedAt }: MemberState,
  member: string,
  now: Instant,
): boolean {
  const node = gossip.nodes.get(member);
  return node !== undefined && isAlive(node, now - startedAt);
}

/** The start of a member: a generation that grows with every start, and a seed. */
export interface InitialInput {
  readonly generation: number;
  /** 32 random bits. */
  readonly seed: number;
}

/** Returns the state of a member that starts now. */
export function newMember(
  rules: ScuttlebuttRules,
  config: MemberConfig,
  { generation, seed }: InitialInput,
  moment: Moment,
): MemberState {
  const self = newNode<Declaration>(
    { name: config.member, generation, beat: 1, clock: 0, sequence: 0, version: 0, floor: 0 },
    0,
    config.intervalMs,
  );
  return {
    config,
    startedAt: moment.now,
    gossip: { nodes: new Map([[config.member, self]]), forgotten: new Map(), cursor: 0, seed },
    election: newElection(config, generation, {
      muteMs: rules.muteMs(config.thresholdMs),
      startsWithMemory: rules.startsWithMemory,
    }),
    contactedBy: [],
    isRefused: false,
    gossipAt: 0,
    electionAt: 0,
    suspectAt: Number.POSITIVE_INFINITY,
    reviewAt: 0,
  };
}

/**
 * Returns the generation of a member that starts now: later than every earlier one, unless the wall
 * clock was set back. Then the member meets its own name and starts again with a greater one.
 */
export function generationAt(wallMicros: number): number {
  return Math.trunc(wallMicros);
}

/** The greatest gap after the latest known generation, in microseconds: about 17 s. */
const gapMax = 2 ** 24;

/**
 * Returns a generation after the latest one that is known. `random`: a number in [0, 1). If the wall
 * clock was set back, a random gap prevents two lives in a row that have met the same generation
 * from having the same one, in which votes for the first would count for the second (S5).
 */
export function generationAfter(latest: number, wallMicros: number, random: number): number {
  const now = generationAt(wallMicros);
  return now > latest ? now : latest + 1 + Math.floor(random * gapMax);
}
