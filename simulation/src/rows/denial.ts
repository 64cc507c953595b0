// A store that answers readings, and does not make all changes of a member: rights were taken away, a disk
// is full, a finalizer keeps an object.
import type { RowChange } from '@leadership/core/internal/sessions';
import type { Real } from '../kernel/clock.ts';
import { happens, pick } from '../kernel/random.ts';
import { type Message, reply } from './transit.ts';
import type { Node, World } from './world.ts';

/** The changes that a store does not make for a member. */
export interface Denial {
  readonly until: Real;
  /** Whether it rejects every exchange that has changes. Otherwise it refuses single ones. */
  readonly rejects?: boolean;
  /** Whether it refuses a change. */
  readonly refuses: (change: RowChange) => boolean;
}

const isOfPartition = ({ name }: RowChange): boolean => name.startsWith('partition#');

/** Refuses the changes of partitions. */
export function mute({ now }: World, node: Node, lastsMs: number): void {
  node.denial = { until: now + 2 * lastsMs, refuses: isOfPartition };
}

/** How often a store denies a change to all members. */
const allShare = 0.3;

/** Answers the readings of one member, or of all, and makes none of their changes, or not all. */
export function denyChanges(world: World, node: Node, lastsMs: number): void {
  const { random, now, nodes } = world;
  const denial: Denial = { until: now + 2 * lastsMs, ...pick(random, denials)(world, node) };
  for (const one of happens(random, allShare) ? nodes : [node]) one.denial = denial;
}

type Denied = Pick<Denial, 'rejects' | 'refuses'>;

const denials: readonly ((world: World, node: Node) => Denied)[] = [
  () => ({ refuses: () => true }),
  () => ({ rejects: true, refuses: () => true }),
  () => ({ refuses: ({ text }) => text === null }),
  keepsOne,
];

/** Keeps one row as it is: any of the store, or one of that member. */
function keepsOne({ random, store }: World, { incarnation, state }: Node): Denied {
  const kept = pick(random, [
    ...store.rows.keys(),
    `member#${incarnation}`,
    `session#${state?.own?.row.id ?? `${incarnation}/1`}`,
  ]);
  return { refuses: ({ name }) => name === kept };
}

/** Returns whether a store rejects the exchange. */
export function isRejected(world: World, node: Node, changes: readonly RowChange[]): boolean {
  return node.denial?.rejects === true && isDenied(world, node, changes);
}

/** Returns whether a store does not make one of the changes. */
export function isDenied(world: World, node: Node, changes: readonly RowChange[]): boolean {
  return changes.some((change) => isRefused(world, node, change));
}

function isRefused({ now }: World, { denial }: Node, change: RowChange): boolean {
  return denial !== undefined && now < denial.until && denial.refuses(change);
}

/** Answers an exchange: the store makes no change of this member. */
export function reject(world: World, message: Message<{ readonly id: number }>): void {
  reply(world, message, failed, message.content.id);
}

function failed(world: World, id: number, node: Node): void {
  const message = 'this member has no right to write';
  world.feed(world, node, { kind: 'failed', id, code: 'misconfigured-backend', message });
}

/** Returns the changes of a member as the store makes them. No row has the text that a refused one expects. */
export function allowed(
  world: World,
  node: Node,
  changes: readonly RowChange[],
): readonly RowChange[] {
  const { storeRules, store } = world;
  if (!storeRules.comparesText)
    return changes.map((change) => ({ ...change, expected: store.rows.get(change.name) ?? null }));
  return changes.map((change) =>
    isRefused(world, node, change) ? { ...change, expected: 'denied' } : change,
  );
}
