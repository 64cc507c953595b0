// The data of a simulated world of Nerio: its processes, their disks and its judge.
import type { Instant } from '@leadership/core/adapter';
import {
  type EdictStamp,
  type Epoch,
  type HardState,
  type MemberState,
  type Memory,
  type NerioInput,
  type NerioOutput,
  type NerioRules,
  newMember,
  type Self,
  type Start,
} from '@leadership/nerio/internal/protocol';
import type { Real, RealTime } from '../kernel/clock.ts';
import type { Judge } from '../kernel/judge.ts';
import type { LinkedWorld } from '../kernel/links.ts';
import { defined } from '../kernel/random.ts';
import type { Handler } from '../kernel/timeline.ts';
import { Process } from '../kernel/world.ts';
import type { DriverRules } from './rules.ts';
import type { Keeping, Scenario } from './scenario.ts';

export interface World extends LinkedWorld<Node> {
  readonly scenario: Scenario;
  readonly driverRules: DriverRules;
  readonly judge: Judge;
  readonly tally: Tally;
  /** Per partition: the latest edicts, in order of creation. */
  readonly edicts: readonly EdictStamp[][];
  /** Applies the inputs of one frame together. */
  readonly feed: Handler<World, Node, readonly NerioInput[]>;
  /** Processes the refusal of a node to take part (R4). */
  readonly refused: Handler<World, Node, undefined>;
  /** The initial hard state of each configuration. */
  readonly first: readonly HardState[];
  /** The latest epoch that any member has entered. */
  epoch: Epoch;
  /** The last id of an edict, a verification or a search. */
  lastId: number;
}

/** The counters of Nerio beside those of the judge. */
interface Tally {
  edicts: number;
  /** Total time of failed campaigns, over all candidates. Milliseconds. */
  failedCampaignMs: number;
}

/** One process. Its state is the one that the last step returned. */
export class Node extends Process {
  readonly rules: NerioRules;
  /** Index of the configuration that the process started with. */
  config = 0;
  self: Self;
  state: MemberState;
  readonly disk: Disk;
  /** Per partition: since when the node campaigns. */
  contendsSince: (Real | undefined)[] = [];
  /** The last frame sent to each node. A message of the same moment may join it. */
  readonly lastFrames: (Frame | undefined)[] = [];
  /** Per partition: the grant of a previous life of this voter, if it is still valid. */
  earlierGrants: (EarlierGrant | undefined)[];
  /** Per partition: the latest release of each incarnation that this voter has received. */
  readonly released: readonly Map<string, Start>[];

  constructor(
    scenario: Scenario,
    rules: NerioRules,
    index: number,
    hardState: HardState,
    time: RealTime,
  ) {
    super(index, time, scenario.leaseMs);
    const { partitions, keeps } = scenario;
    this.rules = rules;
    this.self = selfOf(scenario, this, 0);
    this.state = newMember(rules, this.self, { hardState }, this.clock.moment());
    this.disk = new Disk(defined(keeps[index % keeps.length]), hardState);
    this.earlierGrants = Array.from({ length: partitions }, () => undefined);
    this.released = this.earlierGrants.map(() => new Map());
  }
}

/** Returns the configuration of one life of a process. */
export function selfOf(
  scenario: Scenario,
  { index, life, config }: Pick<Node, 'index' | 'life' | 'config'>,
  jitter: number,
): Self {
  const { partitions, leaseMs, driftRate, skewMs, leaseSpread, pingShare = 1 / 3 } = scenario;
  const { leaseMsMax } = config === 0 ? scenario : defined(scenario.otherConfigs[config - 1]);
  const member = nameOf(index);
  const roundTripMs = leaseMs * roundTripShare;
  const spread = defined(leaseSpread[index % leaseSpread.length]);
  return {
    member,
    incarnation: `${member}${life}`,
    life,
    partitions,
    spacingMs: leaseMs * (1 + spread) - roundTripMs,
    roundTripMs,
    leaseMsMax,
    driftRate,
    skewMs,
    pingMs: leaseMs * pingShare,
    jitter,
  };
}

/** The assumed minimum round trip d, as a share of the lease. */
const roundTripShare = 1 / 40;

/** The directory of one member. It contains only the initial epoch at first. */
export class Disk {
  readonly keeps: Keeping;
  /** The hard state and the grants, as of the last write. */
  hardState: HardState;
  memory: Memory | undefined = undefined;
  /** A copy of the directory. */
  copy: { readonly hardState: HardState; readonly memory: Memory | undefined } | undefined =
    undefined;
  /** Whether the next start learns that the directory was lost or is an older copy. */
  saidLost = false;
  /** Until when writes hang, and the outputs that wait for them. */
  hangsUntil: Real = 0;
  waiting: NerioOutput[] | undefined = undefined;

  constructor(keeps: Keeping, hardState: HardState) {
    this.keeps = keeps;
    this.hardState = hardState;
  }
}

/** A grant of a previous life. */
export interface EarlierGrant {
  readonly incarnation: string;
  readonly epoch: number;
  readonly until: Real;
}

/** An edict before it is sent. */
export interface Publication {
  readonly stamp: EdictStamp;
  readonly until: Instant;
}

/** Messages that travel together. */
interface Frame {
  readonly sentAt: Real;
  /** Life of the receiver. */
  readonly life: number;
  readonly inputs: NerioInput[];
}

const firstLetter = 97;

/** Returns the name of a member: a letter, in the order of the nodes. */
export function nameOf(index: number): string {
  return String.fromCharCode(firstLetter + index);
}

/** Returns the node of a member. */
export function memberNode({ nodes }: World, name: string): Node {
  return defined(nodes[name.charCodeAt(0) - firstLetter]);
}
