// The data of a simulated world of gossip: its processes, its network and its judge.
import {
  type MemberConfig,
  type MemberState,
  newMember,
  type ScuttlebuttRules,
} from '@leadership/scuttlebutt/internal/protocol';
import type { Real, RealTime } from '../kernel/clock.ts';
import type { Judge } from '../kernel/judge.ts';
import type { LinkedWorld } from '../kernel/links.ts';
import { between, defined, type Random } from '../kernel/random.ts';
import { type HostRules, Process } from '../kernel/world.ts';
import {
  electionShare,
  fanout,
  forgetThresholds,
  intervalShare,
  reaches,
  type Scenario,
} from './scenario.ts';

/** Rules that replace those of the protocol. */
export interface Overrides {
  readonly rules?: Partial<ScuttlebuttRules>;
  readonly host?: Partial<HostRules>;
  /** S6: the interval of gossip, as a share of P. */
  readonly intervalShare?: number;
  /** R3: what messages say of the configuration. */
  readonly pinOf?: (voters: readonly string[]) => string;
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

interface NodeOptions {
  readonly time: RealTime;
  readonly random: Random;
  readonly overrides: Overrides;
}

/** One process. Its state is the one that the last step returned. */
export class Node extends Process {
  readonly rules: ScuttlebuttRules;
  /** The configuration of the group, and one with other voters. */
  readonly configs: readonly [usual: MemberConfig, other: MemberConfig];
  /** The configuration of the present life. */
  config: MemberConfig;
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
    { time, random, overrides }: NodeOptions,
  ) {
    super(index, time, scenario.leaseMs);
    const { wallOffsetMsMax } = scenario;
    this.rules = rules;
    this.configs = [0, scenario.voters - 1].map((first) =>
      configOf(scenario, index, first, overrides),
    ) as [MemberConfig, MemberConfig];
    [this.config] = this.configs;
    this.state = newMember(rules, this.config, { generation: 0, seed: 0 }, this.clock.moment());
    this.wallOffsetMs = between(random, -wallOffsetMsMax, wallOffsetMsMax);
  }
}

/** Members that every member knows from the start. */
const seedsMax = 3;

/** Returns the configuration in which the voters are those from `first` on. */
function configOf(
  scenario: Scenario,
  index: number,
  first: number,
  { intervalShare: share, pinOf = pinNaming }: Overrides,
): MemberConfig {
  const { nodes, voters, votersStand, partitions, leaseMs, driftRate } = scenario;
  const names = Array.from({ length: nodes }, (_, other) => nameOf(other));
  const intervalMs = leaseMs * (share ?? intervalShare(nodes));
  const reached = names.filter((_, other) => reaches(scenario, index, other));
  const voting = names.slice(first, first + voters);
  return {
    member: nameOf(index),
    voters: voting,
    seeds: scenario.reach === undefined ? names.slice(0, seedsMax) : reached,
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
    pin: pinOf(voting),
  };
}

/** R3: the pin differs between lists of voters. */
function pinNaming(voters: readonly string[]): string {
  return voters.join();
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
  return defined(nodes[Number(name.slice(1))]);
}

/** Returns the reading of a member's clock since the start of its generation. */
export function ownClock({ clock, state }: Node): number {
  return clock.now() - state.startedAt;
}
