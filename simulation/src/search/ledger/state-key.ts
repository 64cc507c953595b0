// Finds states of an exhaustive search that are equal, because no future event can distinguish
// them. Keys therefore contain instants relative to the member's clock, names by order of
// occurrence, and tokens and heights relative to the least. Instants far in the past are all equal.

import type { LedgerRecord, PartitionState } from '@leadership/core/internal/ledger';
import type { Member, SystemState } from './system-state.ts';

/** Returns a key that is equal for equal states. */
export function keyOf(system: SystemState): string {
  const { members, log, flights, request, writesLeft, requestsLeft, restartsLeft } = system;
  const context = contextOf(system);
  const keyed = (record: LedgerRecord | null): string =>
    record === null ? '-' : recordKey(record, context);
  const [a, b] = members;
  const known = `${memberKey(a, context, keyed)}|${memberKey(b, context, keyed)}`;
  const asked = request ? `${request.to}${context.name(request.leaseRequest.id)}` : '';
  return `${known}|${keysOf(log, keyed)}|${keysOf(flights, keyed)}|${asked}|${writesLeft}|${requestsLeft}|${restartsLeft}`;
}

/**
 * Joins keys, each of which ends with its own separator. A list that is joined by `join` takes twice
 * as long.
 */
function keysOf<Item>(items: readonly Item[], keyed: (item: Item) => string): string {
  let keys = '';
  for (const item of items) keys += keyed(item);
  return keys;
}

interface Context {
  readonly name: (id: string | null | undefined) => number;
  /**
   * Whether a record, a request in transit or a received request still refers to the id. Attempts
   * and lease requests without a reference no longer matter.
   */
  readonly isAlive: (id: string) => boolean;
  readonly mayWrite: boolean;
  readonly mayAsk: boolean;
  readonly height: number;
  readonly token: bigint;
}

/** Loops instead of `flatMap`, because a search computes millions of keys. */
function contextOf({
  members,
  log,
  flights,
  request,
  writesLeft,
  requestsLeft,
}: SystemState): Context {
  const alive: (string | null | undefined)[] = [request?.leaseRequest.id];
  let height = Number.POSITIVE_INFINITY;
  let token: bigint | undefined;
  const least = (other: bigint): void => {
    if (other > 0n && (token === undefined || other < token)) token = other;
  };
  const note = (record: LedgerRecord | null): void => {
    if (record === null) return;
    height = Math.min(height, record.height);
    least(record.token);
  };
  const noteWritten = (record: LedgerRecord): void => {
    note(record);
    alive.push(record.id, record.after, record.to?.requestId);
  };
  log.forEach(noteWritten);
  flights.forEach(noteWritten);
  for (const { state } of members) {
    const { fold, ledToken, seenToken, pendingRequests } = state;
    note(fold.kind === 'following' ? fold.effect : fold.best);
    if (fold.kind === 'reading') note(fold.before);
    least(ledToken);
    least(seenToken);
    for (const { request: received } of pendingRequests) alive.push(received.id);
  }
  return {
    name: naming(),
    mayWrite: writesLeft > 0,
    mayAsk: requestsLeft > 0,
    isAlive: (id) => alive.includes(id),
    height,
    token: token ?? 0n,
  };
}

function naming(): Context['name'] {
  const names = new Map<string, number>();
  return (id) => {
    if (id === null || id === undefined) return -1;
    const known = names.get(id) ?? names.size;
    names.set(id, known);
    return known;
  };
}

function recordKey(
  { id, after, height, incarnation, kind, to, token, thresholdMs }: LedgerRecord,
  { name, ...least }: Context,
): string {
  const delegate = to ? `${to.incarnation}.${name(to.requestId)}` : '';
  return `${name(id)}<${name(after)}^${height - least.height}${incarnation}${kind[0]}${delegate}#${token - least.token}@${thresholdMs};`;
}

function memberKey(
  { state, now, position }: Member,
  context: Context,
  keyed: (record: LedgerRecord | null) => string,
): string {
  const {
    self,
    leaseState,
    attempts,
    ownRequests,
    pendingRequests,
    ledToken,
    seenToken,
    campaigning,
  } = state;
  const { name, isAlive, token } = context;
  const ago = (at: number): number => Math.max(at - now, -longAgoIn(state));
  const due = (at: number): number => Math.max(at - now, 0);
  const since = (least: bigint): string => (least === 0n ? '' : `${least - token}`);
  const held =
    leaseState.kind === 'follower' ? '' : `${due(leaseState.until)}#${leaseState.token - token}`;
  const sent = ({ id, sentAt }: { readonly id: string; readonly sentAt: number }): string =>
    isAlive(id) ? `${name(id)}${ago(sentAt)};` : '';
  const lease = `${self.incarnation},${campaigning ? leaseState.kind : '-'},${held}`;
  const fold = foldKey(state, keyed, ago);
  const own = `${keysOf(attempts, sent)},${keysOf(ownRequests, sent)}`;
  const pending = keysOf(
    pendingRequests,
    ({ request, receivedAt }) =>
      `${name(request.id)}${Math.max(ago(receivedAt), -request.thresholdMs)};`,
  );
  const dues = `${context.mayWrite ? due(state.writeAt) : ''},${context.mayAsk ? due(state.requestAt) : ''}`;
  return `${lease},${fold},${own},${pending},${dues},${since(ledToken)},${since(seenToken)},${position}`;
}

function foldKey(
  { fold }: PartitionState,
  keyed: (record: LedgerRecord | null) => string,
  ago: (at: number) => number,
): string {
  if (fold.kind === 'reading')
    return `r${keyed(fold.best)}${ago(fold.arrivedAt)};${keyed(fold.before)}`;
  const { effect, waits } = fold;
  return `f${keyed(effect)}${ago(waits.arrivedAt)}${waits.mistrustedSince === undefined ? '' : `m${ago(waits.mistrustedSince)}`}`;
}

/** Returns an age, in milliseconds, beyond which no wait and no belief reaches. */
function longAgoIn({ self }: PartitionState): number {
  return 2 * self.thresholdMsMax;
}
