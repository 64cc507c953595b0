// The parts of the simulated world of Scuttlebutt.
import type {
  MemberConfig,
  MemberState,
  ScuttlebuttRules,
} from '@leadership/scuttlebutt/internal/protocol';
import type { Real } from '../kernel/clock.ts';
import type { Judge, PartitionRecord } from '../kernel/judge.ts';
import { there } from '../kernel/random.ts';
import type { World as CommonWorld, HostRules, Process } from '../kernel/world.ts';
import type { Scenario } from './scenario.ts';

/** Rules that replace those of the protocol. */
export interface Overrides {
  readonly rules?: Partial<ScuttlebuttRules>;
  readonly host?: Partial<HostRules>;
}

export interface World extends CommonWorld<Node> {
  readonly scenario: Scenario;
  readonly judge: GossipJudge;
  /** Per sender and receiver: until when all messages are lost. */
  readonly cutUntil: Float64Array;
  /** The last value that any member has written. */
  lastValue: number;
}

export interface GossipJudge extends Judge<GossipPartition> {
  handovers: number;
  slowHandovers: number;
  /** Per voter and partition: its latest vote for each life of each favorite. */
  readonly votes: readonly (readonly CastVote[][])[];
}

/** The latest vote of a voter for one life of a member. */
export interface CastVote {
  readonly member: string;
  readonly generation: number;
  readonly bound: number;
}

/** The terms over one partition, as the judge has observed them. */
interface GossipPartition extends PartitionRecord {
  /** When the last term was released, if there is no successor yet. */
  releasedAt: Real | undefined;
}

/** One process. Its state is the one that the last step returned. */
export interface Node extends Process {
  readonly rules: ScuttlebuttRules;
  readonly config: MemberConfig;
  state: MemberState;
  /** The offset of its machine's wall clock, which survives the process. */
  wallOffsetMs: number;
  isSuspended: boolean;
  /** When the last life ended. */
  stoppedAt: Real;
  /** Per partition: until when the work of a fenced term may run (H3), by its clock. */
  lapsing: number[];
  /** Per voter: what the judge last saw of it here. */
  readonly seen: Map<string, SeenValue>;
}

interface SeenValue {
  readonly generation: number;
  readonly value: number;
  readonly sequence: number;
}

/** Returns the name of a member. */
export function nameOf(index: number): string {
  return `m${index}`;
}

/** Returns the node of a member. */
export function memberNode({ nodes }: World, name: string): Node {
  return there(nodes[Number(name.slice(1))]);
}

/** Returns the node that leads the partition. */
export function leaderOf({ nodes }: World, partition: number): Node | undefined {
  return nodes.find(({ hosted }) => hosted[partition]?.leads());
}

/** Returns whether all messages from one node to another are lost now. */
export function isCut({ cutUntil, nodes, now }: World, from: Node, to: Node): boolean {
  return (cutUntil[from.index * nodes.length + to.index] ?? 0) > now;
}

/** Returns the reading of a member's clock since the start of its generation. */
export function ownClock({ clock, state }: Node): number {
  return clock.now() - state.bornAt;
}
