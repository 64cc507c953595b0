// The parts of the simulated world of Nerio.
import type { Instant } from '@leadership/core/adapter';
import type {
  EdictStamp,
  Epoch,
  HardState,
  MemberState,
  Memory,
  NerioInput,
  NerioOutput,
  NerioRules,
  Self,
  Start,
} from '@leadership/nerio/internal/protocol';
import type { Real } from '../kernel/clock.ts';
import type { Judge, PartitionRecord } from '../kernel/judge.ts';
import { there } from '../kernel/random.ts';
import type { Handler } from '../kernel/timeline.ts';
import type { World as CommonWorld, Process } from '../kernel/world.ts';
import type { DriverRules } from './rules.ts';
import type { Keeping, Scenario } from './scenario.ts';

export interface World extends CommonWorld<Node> {
  readonly scenario: Scenario;
  readonly driverRules: DriverRules;
  readonly judge: NerioJudge;
  /** Applies the inputs of one frame together. */
  readonly feed: Handler<World, Node, readonly NerioInput[]>;
  /** Processes the refusal of a node to take part (R4). */
  readonly refused: Handler<World, Node, undefined>;
  /** Per sender and receiver: until when all messages are lost. */
  readonly cutUntil: Float64Array;
  /** The initial hard state of each configuration. */
  readonly first: readonly HardState[];
  /** The latest epoch that any member has entered. */
  epoch: Epoch;
  /** The last id of an edict, a verification or a search. */
  lastId: number;
}

export interface NerioJudge extends Judge<NerioPartition> {
  /** Number of terms that ended in favor of a member with fewer partitions. */
  sharingMoves: number;
  /** Number of checks of the distribution, and number of checks that found it uneven. */
  looks: number;
  unevenLooks: number;
  handovers: number;
  slowHandovers: number;
  edicts: number;
  /** Total time of unsuccessful campaigns, over all candidates. Milliseconds. */
  vainMs: number;
}

/** The terms over one partition, as the judge has observed them. */
interface NerioPartition extends PartitionRecord {
  terms: number;
  /** When the last term was released, if there is no successor yet. */
  releasedAt: Real | undefined;
  /** The latest edicts, in order of creation. */
  readonly edicts: EdictStamp[];
}

/** One process. Its state is the one that the last step returned. */
export interface Node extends Process {
  readonly rules: NerioRules;
  /** Index of the configuration that the process started with. */
  config: number;
  self: Self;
  state: MemberState;
  readonly disk: Disk;
  /** Per partition: since when the node campaigns. */
  contendsSince: (Real | undefined)[];
  /** The last frame sent to each node. A message of the same moment may join it. */
  readonly lastFrames: (Frame | undefined)[];
  /** Per partition: the grant of a previous life of this voter, if it is still valid. */
  earlierGrants: (EarlierGrant | undefined)[];
  /** Per partition: the latest release of each incarnation that this voter has received. */
  readonly released: readonly Map<string, Start>[];
}

/** The directory of one member. */
export interface Disk {
  readonly keeps: Keeping;
  /** The hard state and the grants, as of the last write. */
  hardState: HardState;
  memory: Memory | undefined;
  /** A copy of the directory. */
  copy: { readonly hardState: HardState; readonly memory: Memory | undefined } | undefined;
  /** Whether the options of the next start say that the directory was lost or is an older copy. */
  saidLost: boolean;
  /** Until when writes hang, and the outputs that wait for them. */
  hangsUntil: Real;
  waiting: NerioOutput[] | undefined;
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
  return there(nodes[name.charCodeAt(0) - firstLetter]);
}

/** Returns the node that leads the partition. */
export function leaderOf({ nodes }: World, partition: number): Node | undefined {
  return nodes.find(({ hosted }) => hosted[partition]?.leads());
}

/** Returns whether all messages from one node to another are lost now. */
export function isCut({ cutUntil, nodes, now }: World, from: Node, to: Node): boolean {
  return (cutUntil[from.index * nodes.length + to.index] ?? 0) > now;
}
