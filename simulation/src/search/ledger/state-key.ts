// Two states are equal if no future event can distinguish them. Keys therefore contain instants
// relative to the member's clock, names by order of occurrence, and tokens and heights relative to
// the least. Instants far in the past are all equal.

import type { LedgerRecord } from '@leadership/core/adapter';
import type { PartitionState } from '@leadership/core/internal/ledger';
import type { Member, SystemState } from './system-state.ts';

/** Returns a key that is equal for equal states. */
export function keyOf(system: SystemState): string {
  const { members, log, flights, request, writesLeft, requestsLeft, restartsLeft } = system;
  const context = contextOf(system);
  const told = (record: LedgerRecord | null): string =>
    record === null ? '-' : recordKey(record, context);
  const parts = [
    ...members.map((member) => memberKey(member, context, told)),
    log.map(told).join(';'),
    flights.map(told).join(';'),
    request ? `${request.to}${context.name(request.leaseRequest.id)}` : '',
    writesLeft,
    requestsLeft,
    restartsLeft,
  ];
  return parts.join('|');
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

function contextOf({
  members,
  log,
  flights,
  request,
  writesLeft,
  requestsLeft,
}: SystemState): Context {
  const records = [...log, ...flights];
  const known = [...records, ...members.flatMap(knownTo)];
  const received = members.flatMap(({ state }) =>
    state.pendingRequests.map((one) => one.request.id),
  );
  const alive = new Set([
    ...records.flatMap(({ id, after, to }) => [id, after, to?.requestId]),
    request?.leaseRequest.id,
    ...received,
  ]);
  const led = members
    .flatMap(({ state }) => [state.ledToken, state.seenToken])
    .filter((token) => token > 0n);
  return {
    name: naming(),
    mayWrite: writesLeft > 0,
    mayAsk: requestsLeft > 0,
    isAlive: (id) => alive.has(id),
    height: Math.min(...known.map(({ height }) => height)),
    token: leastOf([...led, ...known.map(({ token }) => token)]),
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
  return `${name(id)}<${name(after)}^${height - least.height}${incarnation}${kind[0]}${delegate}#${token - least.token}@${thresholdMs}`;
}

function memberKey(
  { state, now, position }: Member,
  context: Context,
  told: (record: LedgerRecord | null) => string,
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
  const parts = [
    self.incarnation,
    campaigning ? leaseState.kind : '-',
    leaseState.kind === 'follower' ? '' : `${due(leaseState.until)}#${leaseState.token - token}`,
    foldKey(state, told, ago),
    attempts.filter(({ id }) => isAlive(id)).map(({ id, sentAt }) => `${name(id)}${ago(sentAt)}`),
    ownRequests
      .filter(({ id }) => isAlive(id))
      .map(({ id, sentAt }) => `${name(id)}${ago(sentAt)}`),
    pendingRequests.map(
      ({ request, receivedAt }) =>
        `${name(request.id)}${Math.max(ago(receivedAt), -request.thresholdMs)}`,
    ),
    context.mayWrite ? due(state.writeAt) : '',
    context.mayAsk ? due(state.requestAt) : '',
    since(ledToken),
    since(seenToken),
    position,
  ];
  return parts.join(',');
}

function foldKey(
  { fold }: PartitionState,
  told: (record: LedgerRecord | null) => string,
  ago: (at: number) => number,
): string {
  if (fold.kind === 'reading')
    return `r${told(fold.best)}${ago(fold.arrivedAt)}${told(fold.before)}`;
  const { effect, waits } = fold;
  return `f${told(effect)}${ago(waits.arrivedAt)}${waits.mistrustedSince === undefined ? '' : `m${ago(waits.mistrustedSince)}`}`;
}

/** Returns an age, in milliseconds, beyond which no wait and no belief reaches. */
function longAgoIn({ self }: PartitionState): number {
  return 2 * self.thresholdMsMax;
}

function knownTo({ state: { fold } }: Member): readonly LedgerRecord[] {
  const records = fold.kind === 'following' ? [fold.effect] : [fold.best, fold.before];
  return records.filter((record) => record !== null);
}

function leastOf(tokens: readonly bigint[]): bigint {
  return tokens.reduce((least, token) => (token < least ? token : least), tokens[0] ?? 0n);
}
