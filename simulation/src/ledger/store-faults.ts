// The faults of the simulated store of a ledger lease: records are lost, or readers lose their
// position.

import type { Fold } from '@leadership/core/internal/ledger';
import { holderOf, type LedgerRecord } from '@leadership/core/internal/ledger';
import { anyPartition } from '../kernel/faults.ts';
import { recordOf } from '../kernel/judge.ts';
import { delayMs } from '../kernel/network.ts';
import { between, defined, pick } from '../kernel/random.ts';
import { schedule } from '../kernel/timeline.ts';
import { answerWaiting, currentIndex, readAgain } from './log-store.ts';
import { type Log, lastToken, pinSlot, type World } from './world.ts';

/** Moves the leadership of a log to another broker, so that all its readers reconnect at once. */
export function moveLog(world: World): void {
  const log = pick(world.random, world.store.logs);
  for (const node of world.nodes)
    if (node.alive && node.pausedUntil <= world.now) readAgain(world, node, log);
}

/** Prunes a log at a random point up to the first current record of its chains (L10). */
export function cutLog(world: World): void {
  const log = anyLogWithLeases(world);
  const current = log.slots.map((slot) => currentIndex(log, slot)).filter((index) => index >= 0);
  const most = Math.min(log.entries.length, ...current);
  const count = Math.floor(between(world.random, 0, most + 1));
  holdReplies(world, log);
  log.entries = log.entries.slice(count);
  log.start += count;
}

/**
 * Copies the current record of a chain to the next height, so that the log can be pruned below it.
 * No member believes by the copy. The copy arrives with a delay, so its predecessor may no longer
 * be current.
 */
export function carryUp(world: World): void {
  const slot = anyPartition(world) + 1;
  const current = world.storeKind.current(world, slot);
  if (current === null) return;
  const id = `carried/${world.history.events}`;
  const record = { ...current, id, after: current.id, height: current.height + 1 };
  schedule(world, delayMs(world), carried, { record, slot });
}

function carried(
  world: World,
  { record, slot }: { readonly record: LedgerRecord; readonly slot: number },
): void {
  world.storeKind.write(world, slot, record);
}

/** Removes the tail of a log (L11). Its readers observe a new leader epoch. */
export function loseTail(world: World): void {
  const log = anyLogWithLeases(world);
  const count = Math.min(log.entries.length, Math.ceil(between(world.random, 0, lostMax)));
  holdReplies(world, log);
  log.entries = log.entries.slice(0, log.entries.length - count);
  for (const entry of log.entries) entry.agreed = undefined;
  log.epoch += 1;
  trouble(world);
  answerWaiting(world, log);
}

/** Maximum number of records in a lost tail: a few renewals of a few chains. */
const lostMax = 12;

/** Deletes all records. The store is available again at once, but empty (L5). */
export function deleteStore(world: World): void {
  world.store.registers.fill(null);
  for (const log of world.store.logs) {
    holdReplies(world, log);
    log.entries = [];
    log.start = 0;
    log.epoch += 1;
    answerWaiting(world, log);
  }
  trouble(world);
}

/**
 * Returns one register to a version older than the oldest that a live process knows. A process
 * without newer knowledge could not detect that a newer record was believed, and no rule could
 * prevent two leaders. A durable store is assumed for this reason. Nor does it return to a release:
 * a process that starts then would claim at once, and nothing that it can read would tell it not to.
 */
export function goBack(world: World): void {
  const { nodes, store, random } = world;
  const slot = anyPartition(world) + 1;
  const known = nodes
    .filter(({ alive }) => alive)
    .map((node) => heightKnown(defined(node.partitions[slot - 1]).fold));
  const oldest = Math.min(...known);
  const older = defined(store.versions[slot]).filter(({ height }) => height < oldest);
  const leases = older.filter((record) => holderOf(record) !== undefined);
  const version = leases.at(-Math.ceil(between(random, 0, goneBackMax)));
  if (version === undefined) return;
  store.registers[slot] = version;
  store.versions[slot] = older.filter(({ height }) => height <= version.height);
  trouble(world);
}

/** Maximum number of versions that a register goes back. */
const goneBackMax = 4;

/**
 * Infinity without a record: a process that has read nothing accepts an older version like any
 * other.
 */
function heightKnown(fold: Fold): number {
  const record = fold.kind === 'following' ? fold.effect : fold.before;
  return record?.height ?? Number.POSITIVE_INFINITY;
}

/**
 * Writes a hold of another release's process, which never renews it (L1), with the next token or with
 * the last one that exists (T1).
 */
export function strangerWrites(world: World, which: 'next' | 'last'): void {
  const partition = anyPartition(world);
  const current = world.storeKind.current(world, partition + 1);
  // A stranger follows the protocol, whatever it writes: it never takes a lease that is believed.
  if (current === null || world.now < recordOf(world, partition).ledUntil) return;
  if (which === 'last' && !knowAll(world, partition, current)) return;
  const { group, id: after, height, token, thresholdMs } = current;
  const id = `stranger/${world.history.events}`;
  const place = { group, partition, id, after, height: height + 1 };
  const holder = { member: 'stranger', incarnation: id, kind: 'lease-of-another-release' };
  const record = {
    ...place,
    ...holder,
    thresholdMs,
    token: which === 'last' ? lastToken : token + 1n,
  };
  world.storeKind.write(world, partition + 1, record);
}

/**
 * Returns whether every process knows the greatest token, as a last token hides it from those that
 * read later: then a process has only its wall clock.
 */
function knowAll(world: World, partition: number, { token }: LedgerRecord): boolean {
  const { greatestToken } = recordOf(world, partition);
  const greatest = token === lastToken || token < greatestToken ? greatestToken : token;
  return world.nodes.every((node) => defined(node.partitions[partition]).seenToken >= greatest);
}

function anyLogWithLeases({ random, store }: World): Log {
  return pick(random, store.logs.slice(pinSlot + 1));
}

/**
 * Saves the contents of the replies in transit: a reply contains what the log held when it was
 * sent.
 */
function holdReplies(world: World, log: Log): void {
  for (const { readers } of world.nodes) {
    const reader = readers[log.index];
    if (reader === undefined || reader.waiting || reader.held || reader.epoch !== log.epoch)
      continue;
    const from = reader.position - log.start;
    if (from < 0) continue;
    reader.held = log.entries.slice(from, reader.replyEnd - log.start);
    reader.position = reader.replyEnd;
  }
}

function trouble(world: World): void {
  for (const node of world.nodes)
    node.troubledUntil = world.now + 4 * world.scenario.thresholdMsMax;
}
