// What can go wrong with a store: what was there is gone, or nobody knows any more how far they had read.
import type { Fold } from '@leadership/core/engine';
import type { LedgerRecord } from '@leadership/core/ledger';
import { reignOf } from './judge.ts';
import { answerWaiting, append, request, restart } from './log-store.ts';
import { between, pick, there } from './random.ts';
import { compareAndSet, pollAnew } from './register-store.ts';
import { soon } from './timeline.ts';
import { delayMs } from './weather.ts';
import type { Log, Node, World } from './world.ts';

/** A reader's connection is new: whatever it had read may be gone (L11). */
export function loseConnection(world: World, node: Node): void {
  if (world.scenario.shape === 'register') return pollAnew(world, node);
  readAnew(world, node, Math.floor(between(world.random, 0, world.store.logs.length)));
}

/** Another broker leads a log from here on: its readers connect anew, all at once. */
export function moveLog(world: World): void {
  const index = Math.floor(between(world.random, 0, world.store.logs.length));
  for (const node of world.nodes) if (node.alive && node.pausedUntil <= world.now) readAnew(world, node, index);
}

function readAnew(world: World, node: Node, index: number): void {
  const reader = there(node.readers[index]);
  reader.held = undefined;
  restart(world, node, there(world.store.logs[index]), reader);
  request(world, node, index, reader);
}

/** A log is cut anywhere below the current record of every chain in it (L10). */
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
 * Somebody carries a chain up, so that the log can be cut below it: its current record again, as an attempt of nobody who believes.
 * It lands late, as everything may: then it names what is current no more.
 */
export function carryUp(world: World): void {
  const lane = Math.floor(between(world.random, 0, world.scenario.partitions)) + 1;
  const seen = currentOf(world, lane);
  if (seen === null) return;
  const record = { ...seen, id: `carried/${world.happenings}`, after: seen.id, height: seen.height + 1 };
  soon(world, delayMs(world), { kind: 'landed', node: 0, life: 0, lane, cargo: { record, answerMs: -1 } });
}

/** A log loses its tail (L11). Whoever reads it hears of a new leader epoch. */
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

/** How many records a lost tail has at most: a few renewals of each of a few chains. */
const lostMax = 12;

/** Everything is gone, and the store is there again, empty (L5). */
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
 * One register goes back to a version before the oldest that anybody living knows. Whoever knew of nothing newer could not tell
 * that a newer one was believed, and no rule could save it: that is what a durable store is assumed for.
 */
export function goBack(world: World): void {
  const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
  const lane = partition + 1;
  const known = world.nodes.filter(({ alive }) => alive).map((node) => heightKnown(there(node.partitions[partition]).fold));
  const oldest = Math.min(...known);
  const older = there(world.store.versions[lane]).filter(({ height }) => height < oldest);
  const version = older.at(-Math.ceil(between(world.random, 0, goneBackMax)));
  if (version === undefined) return;
  world.store.registers[lane] = version;
  world.store.versions[lane] = older.filter(({ height }) => height <= version.height);
  trouble(world);
}

/** How many versions a register goes back at most. */
const goneBackMax = 4;

/** Who has read nothing yet is told of the older version as of any. */
function heightKnown(fold: Fold): number {
  const record = fold.kind === 'following' ? fold.effect : fold.before;
  return record?.height ?? Number.POSITIVE_INFINITY;
}

/** A release of another version takes a turn: a hold by a stranger, who never renews it (L1). */
export function strangerWrites(world: World): void {
  const partition = Math.floor(between(world.random, 0, world.scenario.partitions));
  const lane = partition + 1;
  const current = currentOf(world, lane);
  if (current === null) return;
  const record = strangersRecord(current, `stranger/${world.happenings}`);
  // A stranger keeps the protocol, whatever it writes: it takes nothing that is believed.
  if (world.now < reignOf(world.judge, partition).ledUntil) return;
  if (world.scenario.shape === 'log') append(world, lane, { record, answerMs: -1 });
  else compareAndSet(world, lane, { record, answerMs: -1 });
}

function strangersRecord({ group, partition, id: after, height, token, thresholdMs }: LedgerRecord, id: string): LedgerRecord {
  const place = { group, partition, id, after, height: height + 1 };
  return { ...place, member: 'stranger', incarnation: id, kind: 'lease-of-another-release', token: token + 1n, thresholdMs };
}

function currentOf({ store, scenario }: World, lane: number): LedgerRecord | null {
  if (scenario.shape === 'register') return store.registers[lane] ?? null;
  const log = there(store.logs[there(store.logOf[lane])]);
  return log.entries[greatest(log, lane)]?.record ?? null;
}

function logWithLeases({ random, store }: World): number {
  return store.logs.indexOf(pick(random, store.logs.slice(1)));
}

/** Replies that are on their way carry what the log held when they left. */
function hold(world: World, index: number, log: Log): void {
  for (const node of world.nodes) {
    const reader = node.readers[index];
    if (reader === undefined || reader.waiting || reader.held || reader.epoch !== log.epoch) continue;
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

/** The earliest of the greatest height (L10). */
function greatest({ entries }: Log, lane: number): number {
  let best = -1;
  entries.forEach((entry, index) => {
    if (entry.lane !== lane) return;
    if (best < 0 || entry.record.height > there(entries[best]).record.height) best = index;
  });
  return best;
}

function trouble(world: World): void {
  for (const node of world.nodes) node.troubledUntil = world.now + 4 * world.scenario.thresholdMsMax;
}
