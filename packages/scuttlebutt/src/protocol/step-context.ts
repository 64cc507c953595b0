// The data and functions that the files of the machine in `step.ts` share while one step runs.
import type { Moment } from '@leadership/core/internal/engine';
import { isPlausibleDeclaration, sizeOf } from './declared.ts';
import type { ElectionContext, Peer, Roster } from './election/context.ts';
import type { Declaration } from './election/declaration.ts';
import { clockOf, type GossipContext } from './gossip/context.ts';
import type { Body } from './gossip/digests.ts';
import { isAlive, type Node } from './gossip/node.ts';
import type { ScuttlebuttOutput } from './output.ts';
import type { ScuttlebuttRules } from './rules.ts';
import type { MemberConfig, MemberState } from './state.ts';

/** An answer that is sent after the review, so that it carries what the review declared. */
interface Answering {
  readonly to: string;
  readonly body: Body<Declaration>;
}

/** The context of one step. It does not outlive the step. */
export interface StepContext {
  readonly rules: ScuttlebuttRules;
  readonly config: MemberConfig;
  readonly state: MemberState;
  /** The own clock. */
  readonly now: number;
  readonly gossip: GossipContext<Declaration>;
  readonly election: ElectionContext;
  readonly outputs: ScuttlebuttOutput[];
  readonly answers: Answering[];
  contactedBy: readonly string[];
  isRefused: boolean;
  /** Whether the own clock stopped for a while. */
  hasClockStopped: boolean;
  gossipAt: number;
  electionAt: number;
}

export function beginStep(
  rules: ScuttlebuttRules,
  state: MemberState,
  { now: instant, wallMicros }: Moment,
): StepContext {
  const { config } = state;
  const now = instant - state.startedAt;
  const gossip = beginGossip(rules, state, now, wallMicros);
  const election: ElectionContext = {
    rules,
    config,
    state: { ...state.election },
    roster: rosterOf(gossip),
    clock: now,
    wallMicros,
    outputs: [],
    hasChanged: false,
  };
  return {
    rules,
    config,
    state,
    now,
    gossip,
    election,
    outputs: [],
    answers: [],
    contactedBy: state.contactedBy,
    isRefused: false,
    hasClockStopped: false,
    gossipAt: state.gossipAt,
    electionAt: state.electionAt,
  };
}

function beginGossip(
  rules: ScuttlebuttRules,
  { config, gossip, election }: MemberState,
  now: number,
  wallMicros: number,
): GossipContext<Declaration> {
  return {
    rules,
    config,
    before: gossip,
    nodes: gossip.nodes,
    changes: 0,
    forgotten: gossip.forgotten,
    cursor: gossip.cursor,
    seed: gossip.seed,
    now,
    wallMicros,
    sizeOf,
    accepts: (declaration, owner) =>
      isPlausibleDeclaration(config, declaration, owner, election.claim, wallMicros),
    changed: new Set(),
    implausible: 0,
    rivalGeneration: 0,
    ownClockBound: Number.NEGATIVE_INFINITY,
  };
}

/** The other members, as the gossip knows them at this moment of the step. */
function rosterOf(gossip: GossipContext<Declaration>): Roster {
  const { member } = gossip.config;
  const peerOf = (node: Node<Declaration>): Peer => ({
    member: node.name,
    generation: node.generation,
    isAlive: isAlive(node, gossip.now),
    clock: clockOf(gossip, node),
    declaration: node.declaration,
  });
  // A review asks for the candidates several times, mostly without a change in between.
  let candidates: readonly Peer[] = [];
  let changes = -1;
  return {
    get: (name) => {
      const node = name === member ? undefined : gossip.nodes.get(name);
      return node && peerOf(node);
    },
    candidates() {
      if (changes === gossip.changes) return candidates;
      changes = gossip.changes;
      const found: Peer[] = [];
      for (const node of gossip.nodes.values())
        if (node.declaration?.candidacy && node.name !== member) found.push(peerOf(node));
      candidates = found;
      return candidates;
    },
  };
}

/** Returns the state after the step. */
export function stateOf(context: StepContext, suspectAt: number, reviewAt: number): MemberState {
  const { state, gossip, election, contactedBy, gossipAt, electionAt } = context;
  const { nodes, forgotten, cursor, seed } = gossip;
  return {
    config: state.config,
    startedAt: state.startedAt,
    gossip: { nodes, forgotten, cursor, seed },
    election: election.state,
    contactedBy,
    isRefused: context.isRefused,
    gossipAt,
    electionAt,
    suspectAt,
    reviewAt,
  };
}

/** The next time at which a living member is suspected. */
export function suspectAtOf({ gossip, now }: StepContext): number {
  let at = Number.POSITIVE_INFINITY;
  for (const { pulse } of gossip.nodes.values())
    if (pulse !== undefined && pulse.suspectAt > now && pulse.suspectAt < at) at = pulse.suspectAt;
  return at;
}
