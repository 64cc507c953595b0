// The faults of a store: records are lost, or readers lose their position.

import type { LedgerRecord } from '@leadership/core/adapter';
import type { Fold } from '@leadership/core/internal/ledger';
import { between, pick, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import { reignOf } from './judge.ts';
import { answerWaiting, append, request, restart } from './log-store.ts';
import { compareAndSet, pollAnew } from './register-store.ts';
import type { Log, Node, World } from './world.ts';

/** Replaces the connection of a reader. Records it has read may be gone (L11). */
export function loseConnection(world: World, node: Node): void {
  if (world.scenario.shape === 'register') return pollAnew(world, node);
  readAnew(world, node, Math.floor(between(world.random, 0, world.store.logs.length)));
}

/** Moves the leadership of a log to another broker, so that all its readers reconnect at once. */
export function moveLog(world: World): void {
  const index = Math.floor(between(world.random, 0, world.store.logs.length));
  for (const node of world.nodes)
    if (node.alive && node.pausedUntil <= world.now) readAnew(world, node, index);
}

function readAnew(world: World, node: Node, index: number): void {
  const reader = there(node.readers[index]);
  reader.held = undefined;
  restart(world, node, there(world.store.logs[index]), reader);
  request(world, node, index, reader);
}

/** Prunes a log at a random point up to the first current record of its chains (L10). */
export function cutLog(world: World): void {
  const index = logWithLeases(world);
  const log = there(world.store.logs[index]);
  const current = firstCurrent(log);
  const count = Math.floor(between(world.random, 0, current + 1));
  hold(world, index, log);
  log.entries = log.entries.slice(count);
  log.start += count;
}

/**
 * Copies the current record of a chain to the next height, so that the log can be pruned below it.
 * No member believes by the copy. The copy arrives with a delay, so its predecessor may no longer
 * be current.
 */
export function carryUp(world: World): void {
  const lane = Math.floor(between(world.random, 0, world.scenario.partitions)) + 1;
  const seen = currentOf(world, lane);
  if (seen === null) return;
  const record = {
    ...seen,
    id: `carried/${world.happenings}`,
    after: seen.id,
    height: seen.height + 1,
  };
  soon(world, delayMs(world), {
    kind: 'landed',
    node: 0,
    life: 0,
    lane,
    cargo: { record, answerMs: -1 },
  });
}

/** Removes the tail of a log (L11). Its readers observe a new leader epoch. */
export function loseTail(world: World): void {
  const index = logWithLeases(world);
  const log = there(world.store.logs[index]);
  const count = Math.min(log.entries.length, Math.ceil(between(world.random, 0, lostMax)));
  hold(world, index, log);
  log.entries = log.entries.slice(0, log.entries.length - count);
  for (const entry of log.entries) entry.agreed = undefined;
  log.epoch += 1;
  trouble(world);
  answerWaiting(world, index);
}

/** Maximum number of records in a lost tail: a few renewals of a few chains. */
const lostMax = 12;

/** Deletes all records. The store is available again at once, but empty (L5). */
export function deleteStore(world: World): void {
  const { logs, registers } = world.store;
  registers.fill(null);
  logs.forEach((log, index) => {
    hold(world, index, log);
    log.entries = [];
    log.start = 0;
    log.epoch += 1;
    answerWaiting(world, index);
  });
  trouble(world);
}

/**
 * Returns one register to a version older than the oldest that a live process knows. A process
 * without newer knowledge could not detect that a newer record was believed, and no rule could
 * prevent two leaders. A durable store is assumed for this reason.
 */
export function goBack(world: World): void {
  const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
  const lane = partition + 1;
  const known = world.nodes
    .filter(({ alive }) => alive)
    .map((node) => heightKnown(there(node.partitions[partition]).fold));
  const oldest = Math.min(...known);
  const older = there(world.store.versions[lane]).filter(({ height }) => height < oldest);
  const version = older.at(-Math.ceil(between(world.random, 0, goneBackMax)));
  if (version === undefined) return;
  world.store.registers[lane] = version;
  world.store.versions[lane] = older.filter(({ height }) => height <= version.height);
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

/** Writes a hold of another release's process, which never renews it (L1). */
export function strangerWrites(world: World): void {
  const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
  const lane = partition + 1;
  const current = currentOf(world, lane);
  if (current === null) return;
  const record = strangersRecord(current, `stranger/${world.happenings}`);
  // A stranger follows the protocol, whatever it writes: it never takes a lease that is believed.
  if (world.now < reignOf(world.judge, partition).ledUntil) return;
  if (world.scenario.shape === 'log') append(world, lane, { record, answerMs: -1 });
  else compareAndSet(world, lane, { record, answerMs: -1 });
}

function strangersRecord(
  { group, partition, id: after, height, token, thresholdMs }: LedgerRecord,
  id: string,
): LedgerRecord {
  const place = { group, partition, id, after, height: height + 1 };
  return {
    ...place,
    member: 'stranger',
    incarnation: id,
    kind: 'lease-of-another-release',
    token: token + 1n,
    thresholdMs,
  };
}

function currentOf({ store, scenario }: World, lane: number): LedgerRecord | null {
  if (scenario.shape === 'register') return store.registers[lane] ?? null;
  const log = there(store.logs[there(store.logOf[lane])]);
  return log.entries[greatest(log, lane)]?.record ?? null;
}

function logWithLeases({ random, store }: World): number {
  return store.logs.indexOf(pick(random, store.logs.slice(1)));
}

/**
 * Saves the contents of the replies in transit: a reply contains what the log held when it was
 * sent.
 */
function hold(world: World, index: number, log: Log): void {
  for (const node of world.nodes) {
    const reader = node.readers[index];
    if (reader === undefined || reader.waiting || reader.held || reader.epoch !== log.epoch)
      continue;
    const from = reader.position - log.start;
    if (from < 0) continue;
    reader.held = log.entries.slice(from, reader.replyEnd - log.start);
    reader.position = reader.replyEnd;
  }
}

function firstCurrent(log: Log): number {
  const indexes = log.lanes.map((lane) => greatest(log, lane)).filter((index) => index >= 0);
  return Math.min(log.entries.length, ...indexes);
}

/** Returns the index of the earliest record with the greatest height (L10). */
function greatest({ entries }: Log, lane: number): number {
  let best = -1;
  entries.forEach((entry, index) => {
    if (entry.lane !== lane) return;
    if (best < 0 || entry.record.height > there(entries[best]).record.height) best = index;
  });
  return best;
}

function trouble(world: World): void {
  for (const node of world.nodes)
    node.troubledUntil = world.now + 4 * world.scenario.thresholdMsMax;
}
