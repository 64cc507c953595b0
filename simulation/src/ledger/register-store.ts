// The simulated store of a ledger lease that keeps registers with conditional writes, such as a
// table. Readers poll for the current records.
import type { Instant } from '@leadership/core/adapter';
import type { LedgerRecord } from '@leadership/core/internal/ledger';
import { delayMs } from '../kernel/network.ts';
import { defined } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import type { Scenario } from './scenario.ts';
import type { Node, Snapshot, StoreKind, World } from './world.ts';
import { cutMs } from './writes.ts';

/** A store of registers. */
export const registerStore: StoreKind = {
  /** Replaces the current record if the write names it as its predecessor. */
  write(world, slot, record) {
    const { registers } = world.store;
    if (!world.storeRules.replaces(registers[slot] ?? null, record)) return 'refused';
    registers[slot] = record;
    keepVersion(world, slot, record);
    return 'in-effect';
  },
  begin: (world, node) => scheduleFor(world, node, 0, polled, undefined),
  reconnect(world, node) {
    node.seen = undefined;
    node.polls += 1;
    restartAll(world, node);
    scheduleFor(world, node, delayMs(world), polled, undefined);
  },
  reread: (_world, node, slot) => void node.rereads.add(slot),
  current: ({ store }, slot) => store.registers[slot] ?? null,
};

/** Maximum number of versions per register that a backup holds. */
const versionsMax = 64;

function keepVersion({ scenario, store }: World, slot: number, record: LedgerRecord): void {
  if (scenario.perMinute['go-back'] === undefined) return;
  const versions = defined(store.versions[slot]);
  versions.push(record);
  if (versions.length > versionsMax) versions.shift();
}

/** Processes a poll at the store. The snapshot is sent back with a delay. */
function polled(world: World, _content: undefined, node: Node): void {
  const ms = cutMs(world, node.readsCutUntil) + delayMs(world);
  scheduleFor(world, node, ms, seen, [...world.store.registers], node.polls);
}

/** Processes the answer to a poll, and sends the next poll a quarter of T later. */
function seen(world: World, snapshot: Snapshot, node: Node, poll: number): void {
  if (poll !== node.polls) return;
  const { seen: before, clock, leaseMs } = node;
  const repliedAt = clock.now();
  const receivedAt = world.storeRules.arrivedAt(node.askedAt, repliedAt);
  node.seen = snapshot;
  node.askedAt = repliedAt;
  const isOther =
    before !== undefined && notices(world) === 'shrinking' && isAnother(before, snapshot);
  if (isOther) restartAll(world, node);
  if (before === undefined || isOther) readAll(world, node, snapshot, receivedAt);
  else readChanged(world, node, before, snapshot, receivedAt);
  scheduleFor(world, node, leaseMs / 4 + delayMs(world), polled, undefined);
}

/**
 * Returns whether the store was replaced. Chains only grow, so a shorter chain proves that every
 * register is in doubt, including the empty ones (L11).
 */
function isAnother(before: Snapshot, snapshot: Snapshot): boolean {
  return before.some((old, slot) => {
    const record = snapshot[slot] ?? null;
    return old !== null && old !== record && (record === null || record.height <= old.height);
  });
}

/** Processes the first poll of a connection: its snapshot is complete. */
function readAll(world: World, node: Node, snapshot: Snapshot, receivedAt: Instant): void {
  snapshot.forEach((record, slot) => {
    if (record !== null) world.feed(world, { kind: 'record', record, receivedAt }, node, slot);
    world.feed(world, { kind: 'end' }, node, slot);
  });
}

function readChanged(
  world: World,
  node: Node,
  before: Snapshot,
  snapshot: Snapshot,
  receivedAt: Instant,
): void {
  snapshot.forEach((record, slot) => {
    const isAgain = node.rereads.delete(slot);
    const isNew = record !== null && (isAgain || differs(world, before[slot] ?? null, record));
    if (isAgain) world.feed(world, { kind: 'restarted' }, node, slot);
    if (isNew) world.feed(world, { kind: 'record', record, receivedAt }, node, slot);
    if (isAgain) world.feed(world, { kind: 'end' }, node, slot);
  });
}

function differs(world: World, before: LedgerRecord | null, record: LedgerRecord): boolean {
  const isGrowth = before === null || record.height > before.height;
  return record !== before && (notices(world) !== 'growth' || isGrowth);
}

function notices({ scenario }: World): NonNullable<Scenario['readersNotice']> {
  return scenario.readersNotice ?? 'shrinking';
}

function restartAll(world: World, node: Node): void {
  node.rereads.clear();
  world.store.registers.forEach((_, slot) => {
    world.feed(world, { kind: 'restarted' }, node, slot);
  });
}
