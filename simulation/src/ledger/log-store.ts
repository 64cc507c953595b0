// The simulated store of a ledger lease that is a log, such as a Kafka topic: it appends every
// attempt, valid or not, and delivers the attempts to readers in log order.
import type { Instant } from '@leadership/core/adapter';
import type { LedgerRecord } from '@leadership/core/internal/ledger';
import { violation } from '../kernel/judge.ts';
import { delayMs } from '../kernel/network.ts';
import { defined, pick } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import {
  type Entry,
  endOf,
  type Log,
  type Node,
  pinSlot,
  type Reader,
  type StoreKind,
  type World,
} from './world.ts';
import { cutMs } from './writes.ts';

/** A store of logs. */
export const logStore: StoreKind = {
  write(world, slot, record) {
    const log = logOf(world, slot);
    log.entries.push({ slot, record, agreed: undefined });
    answerWaiting(world, log);
    return world.storeRules.appended;
  },
  begin(world, node) {
    node.readers = world.store.logs.map((log) => newReader(log, node.clock.now()));
    for (const log of world.store.logs) request(world, node, log);
  },
  reconnect: (world, node) => readAgain(world, node, pick(world.random, world.store.logs)),
  reread,
  current(world, slot) {
    const log = logOf(world, slot);
    return log.entries[currentIndex(log, slot)]?.record ?? null;
  },
};

function newReader(log: Log, askedAt: Instant): Reader {
  return {
    position: log.start,
    epoch: log.epoch,
    replyEnd: endOf(log),
    waiting: false,
    unread: true,
    held: undefined,
    askedAt,
    asked: 0,
  };
}

function logOf({ store }: World, slot: number): Log {
  return defined(store.logs[defined(store.logOf[slot])]);
}

function readerOf({ readers }: Node, { index }: Log): Reader {
  return defined(readers[index]);
}

/** Replies to every reader that waits for new records of this log. */
export function answerWaiting(world: World, log: Log): void {
  for (const node of world.nodes)
    if (node.alive && node.readers[log.index]?.waiting) request(world, node, log);
}

/** Replaces the connection of a reader to one log. */
export function readAgain(world: World, node: Node, log: Log): void {
  readerOf(node, log).held = undefined;
  restart(world, node, log);
  request(world, node, log);
}

/**
 * Sends the next read request. The reply contains the records that exist now, and arrives after a
 * delay.
 */
export function request(world: World, node: Node, log: Log): void {
  const reader = readerOf(node, log);
  reader.waiting = false;
  reader.replyEnd = endOf(log);
  reader.asked += 1;
  const ms = cutMs(world, node.readsCutUntil) + delayMs(world);
  scheduleFor(world, node, ms, fetched, reader.asked, log.index);
}

/** Processes a reply. */
function fetched(world: World, asked: number, node: Node, index: number): void {
  const log = defined(world.store.logs[index]);
  const reader = readerOf(node, log);
  const { held } = reader;
  if (asked !== reader.asked) return;
  const repliedAt = node.clock.now();
  const receivedAt = world.storeRules.arrivedAt(reader.askedAt, repliedAt);
  reader.askedAt = repliedAt;
  if (held) readHeld(world, node, reader, held, receivedAt);
  else if (reader.epoch !== log.epoch || reader.position < log.start) restart(world, node, log);
  else readOn(world, node, log, reader, receivedAt);
  const isBehind = reader.unread || reader.position !== endOf(log) || reader.epoch !== log.epoch;
  if (isBehind) request(world, node, log);
  else reader.waiting = true;
}

/**
 * Restarts a reader that lost its position. Every register in the log is in doubt until the reader
 * reaches the end again (L11).
 */
export function restart(world: World, node: Node, log: Log): void {
  const reader = readerOf(node, log);
  reader.epoch = log.epoch;
  reader.position = log.start;
  reader.unread = true;
  for (const slot of log.slots) {
    node.readTo[slot] = 0;
    node.rested[slot] = effectAt(node, slot) ?? node.rested[slot] ?? null;
    node.foundAgain[slot] = false;
    world.feed(world, { kind: 'restarted' }, node, slot);
  }
}

function readHeld(
  world: World,
  node: Node,
  reader: Reader,
  held: readonly Entry[],
  receivedAt: Instant,
): void {
  reader.held = undefined;
  held.forEach((entry, at) => {
    const offset = reader.position - held.length + at;
    if (offset >= (node.readTo[entry.slot] as number)) deliver(world, node, entry, receivedAt);
  });
}

function readOn(world: World, node: Node, log: Log, reader: Reader, receivedAt: Instant): void {
  const { replyEnd } = reader;
  for (let offset = reader.position; offset < replyEnd; offset += 1) {
    const entry = log.entries[offset - log.start] as Entry;
    if (offset >= (node.readTo[entry.slot] as number)) deliver(world, node, entry, receivedAt);
  }
  reader.position = replyEnd;
  if (!reader.unread) return;
  reader.unread = false;
  for (const slot of log.slots) endReached(world, node, log, slot, replyEnd);
}

/** Reads one register again from the start of the log. */
function reread(world: World, node: Node, slot: number): void {
  const log = logOf(world, slot);
  const reader = readerOf(node, log);
  if (reader.unread || reader.epoch !== log.epoch) return;
  if (reader.held) return scheduleFor(world, node, delayMs(world), rereadLater, undefined, slot);
  const receivedAt = node.clock.now();
  world.feed(world, { kind: 'restarted' }, node, slot);
  for (const entry of log.entries) {
    if (entry.slot === slot) deliver(world, node, entry, receivedAt);
  }
  node.readTo[slot] = endOf(log);
  endReached(world, node, log, slot, endOf(log));
}

function rereadLater(world: World, _content: undefined, node: Node, slot: number): void {
  reread(world, node, slot);
}

function deliver(world: World, node: Node, entry: Entry, receivedAt: Instant): void {
  const { record, slot } = entry;
  if (node.rested[slot]?.id === record.id) node.foundAgain[slot] = true;
  world.feed(world, { kind: 'record', record, receivedAt }, node, slot);
  judgeEffect(world, node, entry);
}

function endReached(world: World, node: Node, log: Log, slot: number, end: number): void {
  world.feed(world, { kind: 'end' }, node, slot);
  const entries = log.entries.filter(
    (entry, index) => entry.slot === slot && index + log.start < end,
  );
  const last = entries.at(-1);
  if (last) judgeEffect(world, node, last);
  judgeLoss(world, node, slot, entries);
}

/**
 * Checks that a reader finds the record again that its belief rests on, unless no record as old is
 * left (L11). A record that was delivered again may have been cut off before the reader reaches the
 * end.
 */
function judgeLoss(world: World, node: Node, slot: number, entries: readonly Entry[]): void {
  const rested = node.rested[slot] ?? null;
  node.rested[slot] = null;
  if (rested === null || node.hosted[slot - 1]?.leads() !== true) return;
  const isOlderFound = entries.some(({ record }) => record.height <= rested.height);
  if (isOlderFound && node.foundAgain[slot] !== true)
    violation(world, 'L11', node, slot - 1, `believes by ${rested.id}, which is lost`);
}

function effectAt(node: Node, slot: number): LedgerRecord | null {
  const fold = node.partitions[slot - 1]?.fold;
  return fold?.kind === 'following' ? fold.effect : null;
}

/**
 * Checks that all readers find the same record in effect after this entry (L1, L10). Readers of a
 * lost tail are exempt.
 */
function judgeEffect(world: World, node: Node, entry: Entry): void {
  const { slot } = entry;
  if (slot === pinSlot || slot > node.partitions.length) return;
  const log = logOf(world, slot);
  if (readerOf(node, log).epoch !== log.epoch) return;
  const { fold } = node.partitions[slot - 1] as Node['partitions'][number];
  if (fold.kind !== 'following') return;
  const id = fold.effect === null ? null : fold.effect.id;
  if (entry.agreed === undefined) entry.agreed = id;
  else if (entry.agreed !== id)
    violation(world, 'L1', node, slot - 1, `has ${id} in effect where others have ${entry.agreed}`);
}

/** Returns the index of the record in effect: the earliest with the greatest height (L10). */
export function currentIndex({ entries }: Log, slot: number): number {
  let best = -1;
  entries.forEach((entry, index) => {
    if (entry.slot !== slot) return;
    if (best < 0 || entry.record.height > defined(entries[best]).record.height) best = index;
  });
  return best;
}
