// The store as registers with conditional writes. Readers poll for the current records.
import type { LedgerRecord } from '@leadership/core/adapter';
import { localAt } from '../kernel/clock.ts';
import { there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import { learn } from './engine.ts';
import type { Sending, Snapshot } from './happening.ts';
import type { Scenario } from './scenario.ts';
import type { Node, World } from './world.ts';

/** Replaces the current record if the write names it as its predecessor. */
export function compareAndSet(
  world: World,
  lane: number,
  { record }: Sending,
): 'in-effect' | 'refused' {
  const { registers } = world.store;
  if (!world.rules.host.replaces(registers[lane] ?? null, record)) return 'refused';
  registers[lane] = record;
  keepVersion(world, lane, record);
  return 'in-effect';
}

/** Maximum number of versions per register that a backup holds. */
const versionsMax = 64;

function keepVersion({ scenario, store }: World, lane: number, record: LedgerRecord): void {
  if (scenario.perMinute['go-back'] === undefined) return;
  const versions = there(store.versions[lane]);
  versions.push(record);
  if (versions.length > versionsMax) versions.shift();
}

/** Processes a poll at the store. The snapshot is sent back with a delay. */
export function polled(world: World, { index: node, life, polls, readsCutUntil }: Node): void {
  const cutMs = Math.max(0, readsCutUntil - world.now);
  soon(world, cutMs + delayMs(world), {
    kind: 'seen',
    node,
    life,
    lane: polls,
    cargo: [...world.store.registers],
  });
}

/**
 * Restarts polling over a new connection. Every register is in doubt until it has been read again
 * (L11).
 */
export function pollAnew(world: World, node: Node): void {
  const { index, life } = node;
  node.seen = undefined;
  node.polls += 1;
  node.rereads.clear();
  restartAll(world, node);
  soon(world, delayMs(world), { kind: 'polled', node: index, life, lane: 0, cargo: undefined });
}

/** Processes the answer to a poll, and sends the next poll a quarter of T later. */
export function seen(world: World, node: Node, poll: number, snapshot: Snapshot): void {
  if (poll !== node.polls) return;
  const { seen: before, index, life, self } = node;
  const repliedAt = localAt(node.clock, world.now);
  const receivedAt = world.rules.host.arrivedAt(node.askedAt, repliedAt);
  node.seen = snapshot;
  node.askedAt = repliedAt;
  if (before === undefined) readAll(world, node, snapshot, receivedAt);
  else if (notices(world) === 'shrinking' && isAnother(before, snapshot)) {
    restartAll(world, node);
    readAll(world, node, snapshot, receivedAt);
  } else readChanged(world, node, before, snapshot, receivedAt);
  soon(world, self.thresholdMs / 4 + delayMs(world), {
    kind: 'polled',
    node: index,
    life,
    lane: 0,
    cargo: undefined,
  });
}

/**
 * Returns whether the store was replaced. Chains only grow, so a shorter chain proves that every
 * register is in doubt, including the empty ones (L11).
 */
function isAnother(before: Snapshot, snapshot: Snapshot): boolean {
  return before.some((old, lane) => {
    const record = snapshot[lane] ?? null;
    return old !== null && old !== record && (record === null || record.height <= old.height);
  });
}

/** Processes the first poll of a connection: its snapshot is complete. */
function readAll(world: World, node: Node, snapshot: Snapshot, receivedAt: Node['askedAt']): void {
  snapshot.forEach((record, lane) => {
    if (record !== null) learn(world, node, lane, { kind: 'record', record, receivedAt });
    learn(world, node, lane, { kind: 'end' });
  });
}

function readChanged(
  world: World,
  node: Node,
  before: Snapshot,
  snapshot: Snapshot,
  receivedAt: Node['askedAt'],
): void {
  snapshot.forEach((record, lane) => {
    const isAgain = node.rereads.delete(lane);
    if (isAgain) learn(world, node, lane, { kind: 'restarted' });
    if (record !== null && (isAgain || isNews(world, before[lane] ?? null, record)))
      learn(world, node, lane, { kind: 'record', record, receivedAt });
    if (isAgain) learn(world, node, lane, { kind: 'end' });
  });
}

function isNews(world: World, before: LedgerRecord | null, record: LedgerRecord): boolean {
  return (
    record !== before &&
    (notices(world) !== 'growth' || before === null || record.height > before.height)
  );
}

function notices({ scenario }: World): NonNullable<Scenario['readersNotice']> {
  return scenario.readersNotice ?? 'shrinking';
}

function restartAll(world: World, node: Node): void {
  node.rereads.clear();
  world.store.registers.forEach((_, lane) => {
    learn(world, node, lane, { kind: 'restarted' });
  });
}
