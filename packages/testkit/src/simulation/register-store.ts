// The store as registers: it compares, and readers poll for whatever is current.
import { localAt } from './clock.ts';
import { learn } from './engine.ts';
import type { Sending, Snapshot } from './happening.ts';
import { delayMs, soon } from './network.ts';
import type { Node, World } from './world.ts';

/** A write replaces what is current, if that is what it names. */
export function compareAndSet(world: World, lane: number, { record }: Sending): 'in-effect' | 'refused' {
  const { registers } = world.store;
  if (!world.rules.host.replaces(registers[lane] ?? null, record)) return 'refused';
  registers[lane] = record;
  return 'in-effect';
}

/** A poll reaches the store: what it finds is on its way back. */
export function polled(world: World, { index: node, life, polls, readsCutUntil }: Node): void {
  const cutMs = Math.max(0, readsCutUntil - world.now);
  soon(world, cutMs + delayMs(world), { kind: 'seen', node, life, lane: polls, cargo: [...world.store.registers] });
}

/** The connection is new: every register is in doubt until it has been read again (L11). */
export function pollAnew(world: World, node: Node): void {
  const { index, life } = node;
  node.seen = undefined;
  node.polls += 1;
  world.store.registers.forEach((_, lane) => learn(world, node, lane, { kind: 'restarted' }));
  soon(world, delayMs(world), { kind: 'polled', node: index, life, lane: 0, cargo: undefined });
}

/** The answer to a poll arrives, and the next one is sent a quarter of T later. */
export function seen(world: World, node: Node, poll: number, snapshot: Snapshot): void {
  if (poll !== node.polls) return;
  const repliedAt = localAt(node.clock, world.now);
  const receivedAt = world.rules.host.arrivedAt(node.askedAt, repliedAt);
  const { seen: before } = node;
  node.seen = snapshot;
  node.askedAt = repliedAt;
  snapshot.forEach((record, lane) => {
    if (before === undefined) find(world, node, lane, record, receivedAt);
    else if (record !== before[lane]) compare(world, node, lane, before[lane] ?? null, record, receivedAt);
  });
  const { index, life, self } = node;
  soon(world, self.thresholdMs / 4 + delayMs(world), { kind: 'polled', node: index, life, lane: 0, cargo: undefined });
}

type Found = Snapshot[number];

/** The first poll of a connection: what it finds is all there is. */
function find(world: World, node: Node, lane: number, record: Found, receivedAt: Node['askedAt']): void {
  if (record !== null) learn(world, node, lane, { kind: 'record', record, receivedAt });
  learn(world, node, lane, { kind: 'end' });
}

/** A chain only grows: where it has shrunk, it is another one (L11). */
function compare(world: World, node: Node, lane: number, before: Found, record: Found, receivedAt: Node['askedAt']): void {
  const isAnother = before !== null && (record === null || record.height <= before.height);
  if (isAnother) {
    learn(world, node, lane, { kind: 'restarted' });
    find(world, node, lane, record, receivedAt);
  } else if (record !== null) learn(world, node, lane, { kind: 'record', record, receivedAt });
}
