// The store, and the way to it: requests and answers that are lost, late or repeated.
import type {
  Exchanged,
  NamedText,
  Output,
  RowChange,
  RowStore,
} from '@leadership/core/internal/sessions';
import { violation } from '../kernel/judge.ts';
import { delayMs } from '../kernel/network.ts';
import { happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { allowed, isRejected, reject } from './denial.ts';
import { lossy } from './hidden-loss.ts';
import { exchangeOverLog, forgetOverLog } from './log.ts';
import { hidesLosses } from './scenario.ts';
import { type Message, reply, send } from './transit.ts';
import type { Node, World } from './world.ts';

export type Request = Output & { readonly kind: 'exchange' };

/** A request and its answer on their way back to the process. */
interface Answered {
  readonly request: Request;
  readonly answer: Exchanged;
}

/** An answer of more rows is taken in parts, with decisions in between, as the shell does above 512. */
const rowsPerStep = 3;

/** Sends an exchange. It fails at its limit, by the clock of the node, unless an answer comes. */
export function sendExchange(world: World, node: Node, request: Request): void {
  judgeNames(world, node, request);
  scheduleFor(world, node, request.limitMs, expired, request);
  if (world.log !== undefined) return exchangeOverLog(world, node, request);
  // A store that reads first compares all rows with those that the reader had.
  const isCompared = world.scenario.readsFirst && hidesLosses(world.scenario);
  send(world, node, arrive, isCompared ? { ...request, isWhole: true } : request);
}

/** A store need not take two changes of one row in one request. */
function judgeNames(world: World, node: Node, { changes }: Request): void {
  const names = new Set(changes.map(({ name }) => name));
  if (names.size < changes.length)
    violation(world, 'rows', node, -1, `changes a row twice: ${JSON.stringify(changes)}`);
}

function arrive(world: World, message: Message<Request>): void {
  const { node, content: request } = message;
  if (isRejected(world, node, request.changes)) return reject(world, message);
  if (!world.scenario.readsFirst || request.changes.length === 0)
    return answerTo(world, message, exchangeAt(world, node, request));
  if (world.scenario.readsAfter) return changeLater(world, { message });
  const read = storeFor(world, node).exchange({ ...request, changes: [] });
  if (read.isRestarted)
    return answerTo(world, message, { ...read, outcomes: request.changes.map(() => false) });
  scheduleFor(world, world.wire, delayMs(world), changeLater, { message, read });
}

interface Read {
  readonly message: Message<Request>;
  /** The reading before the changes; `undefined` if the reader follows the store. */
  readonly read?: Exchanged;
}

/** The changes of an exchange where each is a request of its own. */
function changeLater(world: World, { message, read }: Read): void {
  const { changes } = message.content;
  const made: Made = {
    message,
    ...(read && { read }),
    outcomes: changes.map(() => false),
    left: changes.length,
  };
  for (const index of changes.keys())
    scheduleFor(world, world.wire, delayMs(world), changeOne, { made, index });
}

/** The changes of an exchange that were made so far. */
interface Made extends Read {
  readonly outcomes: boolean[];
  left: number;
}

function changeOne(world: World, { made, index }: { made: Made; index: number }): void {
  const { message, read, outcomes } = made;
  const { node, content: request } = message;
  if (isOld(world, node)) return;
  const [change] = allowed(world, node, request.changes.slice(index, index + 1));
  outcomes[index] = change !== undefined && make(world, node, change);
  made.left -= 1;
  if (made.left > 0) return;
  if (read !== undefined && !world.scenario.readsAgain)
    return answerTo(world, message, { ...read, outcomes });
  scheduleFor(world, world.wire, delayMs(world), read ? readAgain : readAfter, made);
}

/**
 * The last part of an exchange where the reader follows the store. In another history than the one that it
 * has followed it does not answer: what became of the changes is unknown, and the next exchange reads.
 */
function readAfter(world: World, { message, outcomes }: Made): void {
  const { node, content: request } = message;
  const store = storeFor(world, node);
  if (world.storeRules.comparesAgain && !store.isKnown(request.since)) return;
  const since = store.isKnown(request.since) ? request.since : undefined;
  answerTo(world, message, { ...store.exchange({ ...request, since, changes: [] }), outcomes });
}

/**
 * The last part of an exchange with a store that reads once more after its changes. That reading is the
 * answer only if it goes on from the first one, and shows each change that was made.
 */
function readAgain(world: World, { message, read, outcomes }: Made): void {
  const { node, content: request } = message;
  if (read === undefined) return;
  const { changes } = request;
  const store = storeFor(world, node);
  const isSame = !world.storeRules.comparesAgain || store.isKnown(read.position);
  const isShown = changes.every(
    ({ name, text }, index) => outcomes[index] !== true || (store.rows.get(name) ?? null) === text,
  );
  if (!isSame || !isShown) return answerTo(world, message, { ...read, outcomes });
  const since = store.isKnown(request.since) ? request.since : undefined;
  const again = store.exchange({ ...request, since, changes: [] });
  answerTo(world, message, { ...again, outcomes });
}

/** One request to one copy. A copy that was superseded acknowledges no change. */
function exchangeAt(world: World, node: Node, request: Request): Exchanged | undefined {
  const { storeRules, store } = world;
  const changes = allowed(world, node, request.changes);
  if (isOld(world, node)) {
    const old = storeFor(world, node);
    if (!storeRules.isOneRequest && changes.length > 0)
      return splitExchange(world, node, old, request);
    const answer = old.exchange({ ...request, changes });
    return changes.length === 0 || !storeRules.awaitsReplicas ? answer : undefined;
  }
  const before = store.history;
  if (!storeRules.comparesHistory) {
    const outcomes = changes.map((change) => make(world, node, change));
    return { ...store.exchange({ ...request, changes: [] }), outcomes };
  }
  const answer = lossy(
    world,
    changes,
    () => store.exchange({ ...request, changes }),
    ({ outcomes }, index) => outcomes[index] === true,
  );
  if (before === store.history) notifyOthers(world, node, changes, answer.outcomes);
  return answer;
}

/** A defect: the renewal goes to the present copy, and the reading to the old one. */
function splitExchange(world: World, node: Node, old: RowStore, request: Request): Exchanged {
  const outcomes = request.changes.map((change) => make(world, node, change));
  return { ...old.exchange({ ...request, changes: [] }), outcomes };
}

function make(world: World, node: Node, change: RowChange): boolean {
  const isDone = lossy(
    world,
    [change],
    () => world.store.change(change),
    (made) => made,
  );
  if (isDone) notifyOthers(world, node, [change], [true]);
  return isDone;
}

function notifyOthers(
  world: World,
  from: Node,
  changes: readonly RowChange[],
  outcomes: readonly boolean[],
): void {
  const made = changes.filter((_, index) => outcomes[index] === true);
  if (made.length === 0 || world.scenario.isSilent) return;
  const isAwaited = made.some((change) => change.isAwaited === true);
  const rows = made.map(({ name, text }) => [name, text] as const);
  for (const node of world.nodes) {
    if (node === from) continue;
    if (isAwaited) notify(world, node, undefined);
    notify(world, node, rows);
  }
}

function isOld({ now }: World, { oldCopy }: Node): boolean {
  return oldCopy !== undefined && now < oldCopy.until;
}

function storeFor(world: World, node: Node): RowStore {
  return isOld(world, node) && node.oldCopy !== undefined ? node.oldCopy.store : world.store;
}

function answerTo(world: World, message: Message<Request>, answer: Exchanged | undefined): void {
  const { node, content: request } = message;
  if (request.changes.length > 0 && world.now < node.unansweredUntil) return;
  reply(world, message, answered, answer && { request, answer });
}

function answered(world: World, { request, answer }: Answered, node: Node): void {
  const { id } = request;
  const { rows } = answer;
  for (let from = 0; ; from += rowsPerStep) {
    const part = { ...answer, rows: rows.slice(from, from + rowsPerStep) };
    const hasMore = from + rowsPerStep < rows.length;
    world.feed(world, node, { kind: 'exchanged', id, answer: part, hasMore });
    if (!hasMore) return;
    world.feed(world, node, { kind: 'wake' });
  }
}

function expired(world: World, request: Request, node: Node): void {
  forgetOverLog(node, request);
  const message = `no answer within ${request.limitMs} ms`;
  world.feed(world, node, { kind: 'failed', id: request.id, code: 'unreachable', message });
}

/** Notifies a node, or shows it changes, over a network that may lose it. */
function notify(world: World, node: Node, rows: readonly NamedText[] | undefined): void {
  if (!node.alive || happens(world.random, world.network.lossShare) || world.now < node.cutIn)
    return;
  scheduleFor(world, node, delayMs(world), notified, rows);
}

function notified(world: World, rows: readonly NamedText[] | undefined, node: Node): void {
  world.feed(world, node, { kind: 'notified', ...(rows && { rows }) });
}
