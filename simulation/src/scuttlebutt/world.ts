// The parts of the simulated world of Scuttlebutt.
import {
  type MemberConfig,
  type MemberState,
  newMember,
  type ScuttlebuttRules,
} from '@leadership/scuttlebutt/internal/protocol';
import type { Real, RealTime } from '../kernel/clock.ts';
import type { Judge } from '../kernel/judge.ts';
import type { LinkedWorld } from '../kernel/links.ts';
import { between, type Random, there } from '../kernel/random.ts';
import { type HostRules, Process } from '../kernel/world.ts';
import {
  electionShare,
  fanout,
  forgetThresholds,
  intervalShare,
  type Scenario,
} from './scenario.ts';

/** Rules that replace those of the protocol. */
export interface Overrides {
  readonly rules?: Partial<ScuttlebuttRules>;
  readonly host?: Partial<HostRules>;
}

export interface World extends LinkedWorld<Node> {
  readonly scenario: Scenario;
  readonly judge: Judge;
  /** Per voter and partition: its latest vote for each life of each favorite. */
  readonly votes: readonly (readonly CastVote[][])[];
  /** The last value that any member has written. */
  lastValue: number;
}

/** The latest vote of a voter for one life of a member. */
export interface CastVote {
  readonly member: string;
  readonly generation: number;
  readonly bound: number;
}

/** One process. Its state is the one that the last step returned. */
export class Node extends Process {
  readonly rules: ScuttlebuttRules;
  readonly config: MemberConfig;
  state: MemberState;
  /** The offset of its machine's wall clock, which survives the process. */
  wallOffsetMs: number;
  isSuspended = false;
  /** When the last life ended. */
  stoppedAt: Real = 0;
  /** Per partition: until when the work of a fenced term may run (H3), by its clock. */
  lapsing: number[] = [];
  /** Per voter: what the judge last saw of it here. */
  readonly seen: Map<string, SeenValue> = new Map();

  constructor(
    scenario: Scenario,
    rules: ScuttlebuttRules,
    index: number,
    time: RealTime,
    random: Random,
  ) {
    super(index, time, scenario.leaseMs);
    const { wallOffsetMsMax } = scenario;
    this.rules = rules;
    this.config = configOf(scenario, index);
    this.state = newMember(rules, this.config, { generation: 0, seed: 0 }, this.clock.moment());
    this.wallOffsetMs = between(random, -wallOffsetMsMax, wallOffsetMsMax);
  }
}

/** Members that every member knows from the start. */
const seedsMax = 3;

function configOf(scenario: Scenario, index: number): MemberConfig {
  const { nodes, voters, votersStand, partitions, leaseMs, driftRate } = scenario;
  const names = Array.from({ length: nodes }, (_, other) => nameOf(other));
  const intervalMs = leaseMs * intervalShare(nodes);
  return {
    member: nameOf(index),
    voters: names.slice(0, voters),
    seeds: names.slice(0, seedsMax),
    partitions,
    isCandidate: votersStand || index >= voters,
    thresholdMs: leaseMs,
    driftRate,
    intervalMs,
    electionMs: Math.min(intervalMs, leaseMs * electionShare),
    fanout,
    budget: 1200,
    digestsMax: 8,
    forgetAfterMs: forgetThresholds * leaseMs,
    tombstoneMs: 5 * leaseMs,
    nodesMax: 1024,
    keysMax: 64,
    pin: 'pin',
  };
}

interface SeenValue {
  readonly generation: number;
  readonly value: number;
  readonly sequence: number;
}

/** Returns the name of a member. */
function nameOf(index: number): string {
  return `m${index}`;
}

/** Returns the node of a member. */
export function memberNode({ nodes }: World, name: string): Node {
  return there(nodes[Number(name.slice(1))]);
}

/** Returns the reading of a member's clock since the start of its generation. */
export function ownClock({ clock, state }: Node): number {
  return clock.now() - state.bornAt;
}
