// The store as a log: it appends every attempt, valid or not, and delivers the attempts to readers
// in log order.
import type { LedgerRecord } from '@leadership/core/adapter';
import { localAt } from '../kernel/clock.ts';
import { there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import { learn } from './engine.ts';
import type { Sending } from './happening.ts';
import { believes, violation } from './judge.ts';
import {
  type Entry,
  endOf,
  type Log,
  type Node,
  pinLane,
  type Reader,
  type World,
} from './world.ts';

/** Appends a write and answers the readers that wait for new records. */
export function append(world: World, lane: number, { record }: Sending): void {
  const index = there(world.store.logOf[lane]);
  const log = there(world.store.logs[index]);
  log.entries.push({ lane, record, agreed: undefined });
  answerWaiting(world, index);
}

/** Replies to every reader that waits for new records of this log. */
export function answerWaiting(world: World, index: number): void {
  for (const node of world.nodes) {
    const reader = node.readers[index];
    if (node.alive && reader?.waiting) request(world, node, index, reader);
  }
}

/**
 * Sends the next read request. The reply contains the records that exist now, and arrives after a
 * delay.
 */
export function request(
  world: World,
  { index: node, life, readsCutUntil }: Node,
  lane: number,
  reader: Reader,
): void {
  const log = there(world.store.logs[lane]);
  reader.waiting = false;
  reader.replyEnd = endOf(log);
  const cutMs = Math.max(0, readsCutUntil - world.now);
  reader.asked += 1;
  soon(world, cutMs + delayMs(world), { kind: 'fetched', node, life, lane, cargo: reader.asked });
}

/** Processes a reply. */
export function fetched(world: World, node: Node, index: number, asked: number): void {
  const log = there(world.store.logs[index]);
  const reader = there(node.readers[index]);
  const { held } = reader;
  if (asked !== reader.asked) return;
  const repliedAt = localAt(node.clock, world.now);
  const receivedAt = world.rules.host.arrivedAt(reader.askedAt, repliedAt);
  reader.askedAt = repliedAt;
  if (held) {
    reader.held = undefined;
    held.forEach((entry, at) => {
      if (reader.position - held.length + at >= (node.readTo[entry.lane] as number))
        deliver(world, node, entry, receivedAt);
    });
  } else if (reader.epoch !== log.epoch || reader.position < log.start)
    restart(world, node, log, reader);
  else readOn(world, node, log, reader, receivedAt);
  const isBehind = reader.unread || reader.position !== endOf(log) || reader.epoch !== log.epoch;
  if (isBehind) request(world, node, index, reader);
  else reader.waiting = true;
}

/**
 * Restarts a reader that lost its position. Every register in the log is in doubt until the reader
 * reaches the end again (L11).
 */
export function restart(world: World, node: Node, log: Log, reader: Reader): void {
  reader.epoch = log.epoch;
  reader.position = log.start;
  reader.unread = true;
  for (const lane of log.lanes) {
    node.readTo[lane] = 0;
    node.rested[lane] = effectAt(node, lane) ?? node.rested[lane] ?? null;
    node.foundAgain[lane] = false;
    learn(world, node, lane, { kind: 'restarted' });
  }
}

function readOn(
  world: World,
  node: Node,
  log: Log,
  reader: Reader,
  receivedAt: Reader['askedAt'],
): void {
  const { replyEnd } = reader;
  for (let offset = reader.position; offset < replyEnd; offset += 1) {
    const entry = log.entries[offset - log.start] as Entry;
    if (offset >= (node.readTo[entry.lane] as number)) deliver(world, node, entry, receivedAt);
  }
  reader.position = replyEnd;
  if (!reader.unread) return;
  reader.unread = false;
  for (const lane of log.lanes) endReached(world, node, log, lane, replyEnd);
}

/** Reads one register again from the start of the log, as the state machine requested (L12). */
export function reread(world: World, node: Node, lane: number): void {
  const index = there(world.store.logOf[lane]);
  const log = there(world.store.logs[index]);
  const reader = there(node.readers[index]);
  if (reader.unread || reader.epoch !== log.epoch) return;
  if (reader.held)
    return soon(world, delayMs(world), {
      kind: 'reread',
      node: node.index,
      life: node.life,
      lane,
      cargo: undefined,
    });
  const receivedAt = localAt(node.clock, world.now);
  learn(world, node, lane, { kind: 'restarted' });
  for (const entry of log.entries) {
    if (entry.lane === lane) deliver(world, node, entry, receivedAt);
  }
  node.readTo[lane] = endOf(log);
  endReached(world, node, log, lane, endOf(log));
}

function deliver(world: World, node: Node, entry: Entry, receivedAt: Reader['askedAt']): void {
  if (node.rested[entry.lane]?.id === entry.record.id) node.foundAgain[entry.lane] = true;
  learn(world, node, entry.lane, { kind: 'record', record: entry.record, receivedAt });
  agree(world, node, entry);
}

function endReached(world: World, node: Node, log: Log, lane: number, end: number): void {
  learn(world, node, lane, { kind: 'end' });
  const entries = log.entries.filter(
    (entry, index) => entry.lane === lane && index + log.start < end,
  );
  const last = entries.at(-1);
  if (last) agree(world, node, last);
  judgeLoss(world, node, lane, entries);
}

/**
 * Checks that a reader finds the record again that its belief rests on, unless no record as old is
 * left (L11). A record that was delivered again may have been cut off before the reader reaches the
 * end.
 */
function judgeLoss(world: World, node: Node, lane: number, entries: readonly Entry[]): void {
  const rested = node.rested[lane] ?? null;
  node.rested[lane] = null;
  if (rested === null || lane === pinLane || !believes(world, node, there(node.beliefs[lane - 1])))
    return;
  const isOlderFound = entries.some(({ record }) => record.height <= rested.height);
  if (isOlderFound && node.foundAgain[lane] !== true)
    violation(world, 'L11', node, lane - 1, `believes by ${rested.id}, which is gone`);
}

function effectAt(node: Node, lane: number): LedgerRecord | null {
  const fold = node.partitions[lane - 1]?.fold;
  return fold?.kind === 'following' ? fold.effect : null;
}

/**
 * Checks that all readers find the same record in effect after this entry (L1, L10). Readers of a
 * lost tail are exempt.
 */
function agree(world: World, node: Node, entry: Entry): void {
  if (entry.lane === pinLane || entry.lane > node.partitions.length) return;
  const index = there(world.store.logOf[entry.lane]);
  if (node.readers[index]?.epoch !== world.store.logs[index]?.epoch) return;
  const { fold } = node.partitions[entry.lane - 1] as Node['partitions'][number];
  if (fold.kind !== 'following') return;
  const id = fold.effect === null ? null : fold.effect.id;
  if (entry.agreed === undefined) entry.agreed = id;
  else if (entry.agreed !== id)
    violation(
      world,
      'L1',
      node,
      entry.lane - 1,
      `finds ${id} in effect where others found ${entry.agreed}`,
    );
}
