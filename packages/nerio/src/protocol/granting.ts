// Votes: a voter grants the lease of each partition to one incarnation at a time (N2 to N7). Part
// of the machine in `step.ts`.

import type { Draft } from '@leadership/core/internal/engine';
import { isBarred } from './hard-state.ts';
import type { Grant, Queued } from './lease.ts';
import { only } from './members.ts';
import { type GrantRequest, type Refusal, type Release, type Sender, senderOf } from './message.ts';
import { isMuted, takePart } from './newcomer.ts';
import { isAfterInRing } from './ring-order.ts';
import { isBefore } from './sample.ts';
import {
  changeClaim,
  changeGrant,
  claimOf,
  grantOf,
  isEnding,
  isVoter,
  type StepContext,
  sample,
  send,
} from './step-context.ts';

/**
 * Receives a request for the lease. Grants it, or refuses it and keeps the request until the lease
 * ends (N6).
 */
export function receiveGrantRequest(
  context: StepContext,
  from: Sender,
  index: number,
  request: GrantRequest,
): void {
  noteLeader(context, from, request);
  if (!isVoter(context.state)) return;
  const why = refusal(context, from, request);
  if (why === undefined) return grant(context, from, index, request, undefined);
  const { until } = grantOf(context, request.partition);
  if (why === 'held' || why === 'muted') enqueue(context, from, index, request);
  const forMs =
    why === 'held'
      ? until - context.now
      : why === 'muted'
        ? mutedMs(context)
        : Number.POSITIVE_INFINITY;
  refuse(context, index, request, why, forMs);
}

/** Records a leader's announcement, for as long as its lease may last. */
function noteLeader(context: StepContext, from: Sender, request: GrantRequest): void {
  // A lease longer than the cap is never granted, so a member that requests one does not lead.
  if (request.standing === 'claiming' || request.leaseMs > context.state.self.leaseMsMax) return;
  const grant = changeGrant(context, request.partition);
  const { leader } = grant;
  const isKnown =
    leader !== undefined &&
    leader.incarnation === from.incarnation &&
    leader.token === request.token;
  if (!isKnown)
    grant.leader = { member: from.member, incarnation: from.incarnation, token: request.token };
  noteDecided(context, request.partition);
  const isLeaving = request.standing === 'leaving';
  if (isLeaving !== grant.isLeaving) context.isRingStale = true;
  grant.isLeaving = isLeaving;
  grant.successor = request.successor;
  grant.leaderUntil = Math.max(
    grant.leaderUntil,
    context.now + (1 + context.state.self.driftRate) * request.leaseMs,
  );
}

/**
 * The election is decided: this member need not yield to others after its own failed elections any
 * longer.
 */
function noteDecided(context: StepContext, partition: number): void {
  if (claimOf(context, partition).failures === 0) return;
  const claim = changeClaim(context, partition);
  context.isRingStale = true;
  claim.failures = 0;
  claim.yieldUntil = Number.NEGATIVE_INFINITY;
}

function mutedMs({ state, now }: StepContext): number {
  return Math.max(state.mutedUntil - now, state.self.roundTripMs);
}

/** Why a request is refused now (N2, N3, N4, N5, N13); `undefined` if it is not refused. */
function refusal(context: StepContext, from: Sender, request: GrantRequest): Refusal | undefined {
  const { rules, state, now } = context;
  const { holder, until, released } = grantOf(context, request.partition);
  const isHeld = holder !== undefined && now < until;
  const isHolder = isHeld && rules.isHolder(holder, from);
  if (isClosed(context, isHolder)) return 'ending';
  if (request.leaseMs > state.self.leaseMsMax) return 'too-long';
  if (rules.isAhead(request.start, now, state.self)) return 'skew';
  if (released.some(({ start }) => rules.isReleased(request.start, start))) return 'released';
  if (isMuted(context)) return 'muted';
  return isHeld && !isHolder ? 'held' : undefined;
}

/**
 * Whether this voter refuses to grant in this epoch: to new candidates once its end is requested,
 * to all once the voter is wedged (N13).
 */
function isClosed({ state }: StepContext, isHolder: boolean): boolean {
  return (
    isBarred(state) || state.wedge !== undefined || (state.pendingWedge !== undefined && !isHolder)
  );
}

function grant(
  context: StepContext,
  from: Sender,
  index: number,
  request: GrantRequest,
  queued: Queued | undefined,
): void {
  const { rules, state, now } = context;
  takePart(context);
  const mine = changeGrant(context, request.partition);
  const isSameHolder = mine.holder?.incarnation === from.incarnation;
  mine.until = rules.grantUntil(mine.until, now, request, state.self);
  mine.start = isSameHolder && isBefore(request.start, mine.start) ? mine.start : request.start;
  mine.holder = from;
  if (!isSameHolder) {
    mine.isLeaving = false;
    mine.successor = -1;
    mine.keptUntil = Number.NEGATIVE_INFINITY;
  }
  if (mine.queue.length > 0)
    mine.queue = mine.queue.filter(({ from: other }) => other.incarnation !== from.incarnation);
  const rival = mine.tokenBy === from.incarnation ? 0n : mine.token;
  keepToken(mine, from, request.token);
  const at = rules.stampedAt(sample(context), queued);
  const { partition, start } = request;
  const waitedMs = queued === undefined ? 0 : now - queued.arrivedAt;
  send(context, only(index), {
    kind: 'ok',
    partition,
    start,
    at,
    life: state.self.life,
    waitedMs,
    rival,
    isEnding: isEnding(state),
  });
}

/**
 * Records the greatest granted token and its incarnation. After a tie the token belongs to no
 * single incarnation (N16).
 */
function keepToken(grant: Draft<Grant>, { incarnation }: Sender, token: bigint): void {
  if (token > grant.token) {
    grant.token = token;
    grant.tokenBy = incarnation;
  } else if (token === grant.token && grant.tokenBy !== incarnation) {
    grant.tokenBy = undefined;
  }
}

function refuse(
  context: StepContext,
  index: number,
  { partition, start }: GrantRequest,
  why: Refusal,
  forMs: number,
): void {
  const grant = grantOf(context, partition);
  const holder = why === 'held' && grant.holder ? senderOf(grant.holder) : undefined;
  const isLeaving = holder !== undefined && grant.isLeaving && context.rules.queues;
  send(context, only(index), { kind: 'refused', partition, start, why, holder, isLeaving, forMs });
}

/** Keeps the request until the lease ends: only the latest one of each candidate (N6). */
function enqueue(context: StepContext, from: Sender, index: number, request: GrantRequest): void {
  if (!context.rules.queues) return;
  const grant = changeGrant(context, request.partition);
  const before = grant.queue.find(({ index: other }) => other === index);
  if (
    before?.from.incarnation === from.incarnation &&
    isBefore(request.start, before.request.start)
  )
    return;
  const queued: Queued = { from, index, request, arrivedAt: context.now, sample: sample(context) };
  grant.queue = [...grant.queue.filter((other) => other !== before), queued];
}

/** Receives a release of all rounds up to one. It may overtake the requests (N5). */
export function receiveRelease(context: StepContext, from: Sender, release: Release): void {
  const { rules, state, now } = context;
  const grant = changeGrant(context, release.partition);
  noteReleased(context, grant, from);
  if (!isVoter(state)) return;
  rememberReleased(grant, from, release);
  grant.queue = grant.queue.filter(
    ({ request }) => !rules.isReleased(request.start, release.start),
  );
  if (!rules.clears(grant, from, release)) return;
  grant.holder = undefined;
  grant.until = now;
  grant.isLeaving = false;
}

/** The leader has released the lease. For a while it is reserved for the named successor. */
function noteReleased(
  { state, now }: StepContext,
  grant: Draft<Grant>,
  { incarnation }: Sender,
): void {
  if (grant.leader?.incarnation !== incarnation) return;
  grant.leaderUntil = now;
  grant.isLeaving = false;
  if (grant.successor >= 0) grant.keptUntil = now + keptShare * state.self.spacingMs;
}

/**
 * How long a released lease is reserved for its successor, as a share of the usual lease. A live
 * successor needs one round trip.
 */
const keptShare = 1 / 4;

/**
 * Records the release. Keeps the latest one of each of a member's latest incarnations, which is
 * enough for requests still on their way.
 */
function rememberReleased(
  grant: Draft<Grant>,
  { member, incarnation }: Sender,
  { start }: Release,
): void {
  const before = grant.released.find((one) => one.start.incarnation === incarnation);
  if (before !== undefined && !isBefore(before.start, start)) return;
  const others = grant.released.filter((one) => one !== before);
  const older = others.filter((one) => one.member === member).slice(0, 1 - livesRemembered);
  grant.released = [...others.filter((one) => !older.includes(one)), { member, start }];
}

const livesRemembered = 4;

/**
 * Grants a waiting request once the lease has ended. The ring decides between several, so that all
 * voters choose alike (N6).
 */
export function serveQueue(context: StepContext, partition: number): void {
  const { queue, holder, until } = grantOf(context, partition);
  if (queue.length === 0 || (holder !== undefined && context.now < until) || isMuted(context))
    return;
  const fresh = queue.filter(({ request, arrivedAt }) => context.now < arrivedAt + request.leaseMs);
  changeGrant(context, partition).queue = fresh;
  if (fresh.length === 0 || isEnding(context.state)) return;
  const first = fresh.reduce((best, one) => (isServedBefore(context, one, best) ? one : best));
  grant(context, first.from, first.index, first.request, first);
}

/**
 * Whether `a` is served before `b`: a leader first, then the named successor, then the order of the
 * ring.
 */
function isServedBefore(context: StepContext, a: Queued, b: Queued): boolean {
  const [leadsA, leadsB] = [a.request.standing !== 'claiming', b.request.standing !== 'claiming'];
  if (leadsA !== leadsB) return leadsA;
  const { successor } = grantOf(context, a.request.partition);
  if (a.index === successor || b.index === successor) return a.index === successor;
  return isAfterInRing(
    b.index,
    a.index,
    a.request.partition,
    context.state.electorate.names.length,
  );
}
