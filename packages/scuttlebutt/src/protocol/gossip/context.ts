// The data and functions that the files of the gossip share while one step runs. Rule numbers such
// as S3: docs/reference/rules.md.
import type { Node, Row } from './node.ts';
import type { Forgotten, GossipRules } from './rules.ts';

/** The fixed properties of a member's gossip. */
export interface GossipConfig {
  readonly member: string;
  /** Members that are never forgotten, and for which there is always room. */
  readonly voters: readonly string[];
  readonly seeds: readonly string[];
  readonly driftRate: number;
  readonly intervalMs: number;
  /** The number of living peers that a member exchanges with in every round. */
  readonly fanout: number;
  /** The payload of a datagram, in bytes. */
  readonly budget: number;
  /** The greatest number of datagrams of one digest. */
  readonly digestsMax: number;
  /** After this time of silence a member is removed. */
  readonly forgetAfterMs: number;
  /** After this time a deleted key leaves no trace. */
  readonly tombstoneMs: number;
  readonly nodesMax: number;
  readonly keysMax: number;
}

/** Everything that a member knows of the others and of itself. */
export interface GossipState<Declaration> {
  readonly nodes: ReadonlyMap<string, Node<Declaration>>;
  readonly forgotten: ReadonlyMap<string, Forgotten>;
  /** The place at which the next digest begins, if one round cannot hold it all. */
  readonly cursor: number;
  /** The state of the generator. */
  readonly seed: number;
}

/** The context of one step. The maps are copied before their first change. */
export interface GossipContext<Declaration> {
  readonly rules: GossipRules;
  readonly config: GossipConfig;
  readonly before: GossipState<Declaration>;
  nodes: ReadonlyMap<string, Node<Declaration>>;
  /** The number of changes of `nodes` in this step. */
  changes: number;
  forgotten: ReadonlyMap<string, Forgotten>;
  cursor: number;
  seed: number;
  /** The own clock. */
  readonly now: number;
  readonly wallMicros: number;
  /** The size of a declaration in bytes. */
  readonly sizeOf: (declaration: Declaration) => number;
  /** Whether a declaration is one that its owner can have made. */
  readonly accepts: (declaration: Declaration, owner: string) => boolean;
  /** The members whose declaration, generation or signs of life this step has changed. */
  readonly changed: Set<string>;
  /** The number of received parts that no member sends. */
  implausible: number;
  /** A greater generation of this member's own name, if one was received. */
  rivalGeneration: number;
  /** The greatest bound on the own clock that was received in this step. */
  ownClockBound: number;
}

/** Returns the own node. */
export function selfOf<Declaration>({
  nodes,
  config,
}: GossipContext<Declaration>): Node<Declaration> {
  const self = nodes.get(config.member);
  if (self === undefined) throw new Error('Broken invariant: a member does not know itself');
  return self;
}

/** Stores a node. */
export function put<Declaration>(
  context: GossipContext<Declaration>,
  node: Node<Declaration>,
): void {
  if (context.nodes === context.before.nodes) context.nodes = new Map(context.before.nodes);
  context.changes += 1;
  (context.nodes as Map<string, Node<Declaration>>).set(node.name, node);
}

/** Removes a node. */
export function remove<Declaration>(context: GossipContext<Declaration>, name: string): void {
  if (context.nodes === context.before.nodes) context.nodes = new Map(context.before.nodes);
  context.changes += 1;
  (context.nodes as Map<string, Node<Declaration>>).delete(name);
}

/** Returns a lower bound on a member's clock, now (S3). Of this member it is the clock itself. */
export function clockOf<Declaration>(
  { rules, config, now }: GossipContext<Declaration>,
  node: Node<Declaration>,
): number {
  if (node.name === config.member) return now;
  return node.clock + rules.slowed(now - node.clockAt, config.driftRate);
}

/** Returns the row that this member passes on. */
export function rowOf<Declaration>(
  context: GossipContext<Declaration>,
  node: Node<Declaration>,
): Row {
  const { name, generation, beat, receivedClock, sequence, version, floor } = node;
  const estimate = clockOf(context, node);
  const clock =
    name === context.config.member ? estimate : context.rules.forwarded(estimate, receivedClock);
  return { name, generation, beat, clock, sequence, version, floor };
}

/** Returns whether a member is passed on: a silent one no longer is, nor one never seen to live. */
export function isSpread<Declaration>(
  { rules, config, now }: GossipContext<Declaration>,
  node: Node<Declaration>,
): boolean {
  const { name, lastBeatAt, pulse } = node;
  if (name === config.member) return true;
  return rules.isSpread(now - lastBeatAt, config.forgetAfterMs, pulse !== undefined);
}
