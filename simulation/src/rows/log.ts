// The store of a world whose rows are a log: each process folds what it reads, and appends entries.
import {
  type Fetched,
  LogFold,
  type LogRecord,
  type LogRules,
  MemoryLog,
  type RowChange,
  type Settled,
} from '@leadership/core/internal/sessions';
import type { Real } from '../kernel/clock.ts';
import { violation } from '../kernel/judge.ts';
import { between } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { isDenied, reject } from './denial.ts';
import type { Request } from './store.ts';
import { Message, reply, send } from './transit.ts';
import type { Node, World } from './world.ts';

/** The length of a part of a copy. Characters. */
const partLength = 900;
/** The most records in one answer. */
const fetchMax = 12;
/** A fetch without an answer is repeated after that part of T. */
const repeatShare = 1 / 6;
/** Readers are compared after every fourth record, with what another knew there lately. */
const shownEvery = 4;
const shownMax = 128;

/** The log as a process knows it. */
export class LogReader {
  readonly fold: LogFold;
  readonly requests: Map<string, Request> = new Map();
  /** The number of fetches. Only the latest is repeated. */
  fetches = 0;
  /** The fetch that waits at the log for a record. */
  waiting: number | undefined;
  /** The last entry that says that the rows are lost. */
  reset: string | undefined;

  constructor(copyEvery: number, rules: LogRules) {
    this.fold = new LogFold({ copyEvery, partLength, rules });
  }
}

/** A log, and what its readers know. */
export class WorldLog {
  readonly log: MemoryLog = new MemoryLog();
  readonly rules: LogRules;
  /** Until when the log refuses every record. */
  refusesUntil: Real = 0;
  /** The rows that a reader knew after a record. */
  readonly shown: Map<number, { readonly record: LogRecord; readonly rows: string }> = new Map();

  constructor(rules: LogRules) {
    this.rules = rules;
  }
}

/** Begins to read. */
export function beginReading(world: World, node: Node): void {
  if (world.log === undefined) return;
  node.reader = new LogReader(world.scenario.copyEvery, world.log.rules);
  fetch(world, undefined, node);
}

/** Sends an exchange, over a log. It is answered when its own entry is read. */
export function exchangeOverLog(world: World, node: Node, request: Request): void {
  const { reader } = node;
  if (reader === undefined) return;
  // A log makes all changes of an entry, or none.
  if (isDenied(world, node, request.changes)) return send(world, node, reject, request);
  const id = `${node.incarnation}.${request.id}`;
  reader.requests.set(id, request);
  const text = reader.fold.entry(id, request);
  if (text !== undefined) return append(world, node, text);
  send(world, node, askForEnd, id);
}

/** Gives up an exchange that has no answer in time. */
export function forgetOverLog({ reader, incarnation }: Node, { id }: Request): void {
  reader?.fold.forget(`${incarnation}.${id}`);
  reader?.requests.delete(`${incarnation}.${id}`);
}

/** Appends a record that no process has sent. */
export function appendForeign(world: World, text: string | undefined): void {
  world.log?.log.append(text);
  for (const node of world.nodes) serveWaiting(world, node);
}

/** Deletes the log, and creates another one with its name. */
export function recreate(world: World): void {
  const { log } = world;
  if (log === undefined) return;
  log.log.recreate();
  for (const node of world.nodes) serveWaiting(world, node);
}

function append(world: World, node: Node, text: string): void {
  send(world, node, appended, text);
}

/** A leader that was superseded has no replicas: what is appended there is never acknowledged. */
function appended(world: World, { node, content }: Message<string>): void {
  const isRefused = world.now < (world.log?.refusesUntil ?? 0);
  if (!isOld(world, node) && !isRefused) appendForeign(world, content);
}

function askForEnd(world: World, message: Message<string>): void {
  const { end } = logFor(world, message.node);
  reply(world, message, readTo, { id: message.content, end });
}

function readTo(
  world: World,
  { id, end }: { readonly id: string; readonly end: number },
  node: Node,
): void {
  const request = node.reader?.requests.get(id);
  if (node.reader && request) settle(world, node, node.reader.fold.reading(id, request, end));
}

function fetch(world: World, _: undefined, node: Node): void {
  const { reader } = node;
  if (reader === undefined) return;
  reader.fetches += 1;
  reader.waiting = undefined;
  reader.reset = undefined;
  const { fetches } = reader;
  const repeatMs = world.scenario.thresholdMs * repeatShare;
  scheduleFor(world, node, repeatMs, repeat, fetches);
  const { from, next } = reader.fold;
  send(world, node, fetchArrives, { from, next, fetches });
}

/** A log answers after a while also without a new record. An entry that was refused is due again then. */
function repeat(world: World, fetches: number, node: Node): void {
  if (node.reader?.fetches !== fetches) return;
  care(world, node, node.reader);
  fetch(world, undefined, node);
}

interface Fetch {
  readonly from: number | undefined;
  readonly next: number | undefined;
  readonly fetches: number;
}

function fetchArrives(world: World, message: Message<Fetch>): void {
  const { node, life, content } = message;
  const { next, fetches } = content;
  if (next !== logFor(world, node).end) return answerFetch(world, message);
  if (node.reader?.fetches === fetches && node.life === life) node.reader.waiting = fetches;
}

/** Answers a fetch that waits at the log. */
function serveWaiting(world: World, node: Node): void {
  const { reader } = node;
  if (reader?.waiting === undefined || isOld(world, node)) return;
  const { from, next } = reader.fold;
  const content = { from, next, fetches: reader.waiting };
  reader.waiting = undefined;
  answerFetch(world, new Message(node, content));
}

function answerFetch(world: World, message: Message<Fetch>): void {
  const { from, fetches } = message.content;
  const max = between(world.random, 2, fetchMax);
  const shown = logFor(world, message.node).fetch(from, Math.floor(max));
  reply(world, message, fetched, { shown, fetches });
}

function fetched(
  world: World,
  { shown, fetches }: { readonly shown: Fetched; readonly fetches: number },
  node: Node,
): void {
  const { reader, life } = node;
  if (reader === undefined) return;
  const { fold } = reader;
  const isExpected = shown.from === fold.from;
  settle(world, node, fold.take(shown));
  if (node.life !== life) return;
  if (isExpected) judgeAlike(world, node, shown);
  notify(world, node, fold.takeChanged());
  care(world, node, reader);
  if (reader.fetches === fetches) fetch(world, undefined, node);
}

/** Shows a member what others have changed. */
function notify(world: World, node: Node, changed: readonly RowChange[]): void {
  const rows = changed.map(({ name, text }) => [name, text] as const);
  if (rows.length > 0) world.feed(world, node, { kind: 'notified', rows });
  if (changed.some(({ isAwaited }) => isAwaited)) world.feed(world, node, { kind: 'notified' });
}

/** Appends copies and cuts the log, as the fold says. */
function care(world: World, node: Node, reader: LogReader): void {
  const { fold } = reader;
  if (fold.isCopyDue)
    for (const text of fold.copy(`${node.incarnation}.${reader.fetches}`))
      append(world, node, text);
  if (fold.cutBelow !== undefined) send(world, node, cutArrives, fold.cutBelow);
  fold.cutBelow = undefined;
  const reset = fold.reset();
  if (reset === undefined || reset === reader.reset) return;
  reader.reset = reset;
  append(world, node, reset);
}

function cutArrives(world: World, { node, content }: Message<number>): void {
  if (!isOld(world, node)) world.log?.log.cut(content);
}

function settle(world: World, node: Node, settled: readonly Settled[]): void {
  const { reader, life } = node;
  for (const { id, answer } of settled) {
    const request = reader?.requests.get(id);
    reader?.requests.delete(id);
    if (request === undefined || node.life !== life) continue;
    if (answer) world.feed(world, node, { kind: 'exchanged', id: request.id, answer });
    else {
      const message = 'the position was lost';
      world.feed(world, node, { kind: 'failed', id: request.id, code: 'unreachable', message });
    }
  }
}

/** Judges that all readers who know the rows after a record know the same. */
function judgeAlike(world: World, node: Node, { records }: Fetched): void {
  const { log } = world;
  const { reader } = node;
  const record = records.at(-1);
  if (record === undefined || record.offset % shownEvery !== 0) return;
  const isKnown = reader?.fold.isReady && reader.fold.next === record.offset + 1;
  if (!log || !reader || !isKnown) return;
  const rows = JSON.stringify([...reader.fold.rows].sort());
  const shown = log.shown.get(record.offset % shownMax);
  if (shown?.record === record && shown.rows !== rows)
    violation(world, 'alike', node, -1, `knows other rows than another after ${record.offset}`);
  log.shown.set(record.offset % shownMax, { record, rows });
}

function isOld({ now }: World, { oldLog }: Node): boolean {
  return oldLog !== undefined && now < oldLog.until;
}

function logFor(world: World, node: Node): MemoryLog {
  const { log } = world;
  if (isOld(world, node) && node.oldLog) return node.oldLog.log;
  return log?.log ?? new MemoryLog();
}
