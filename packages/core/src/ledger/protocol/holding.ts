// How the leader renews its lease, and how it releases the lease in order. Part of the machine in
// `step.ts`.
import { after, type Instant, never } from '../../time/instant.ts';
import type { LeaseRequest } from '../ledger.ts';
import { abstains, trustedAt } from './claiming.ts';
import { inEffect } from './fold.ts';
import type { Believing } from './state.ts';
import { isBelieving, isHeldHere, type StepContext, write } from './step-context.ts';

/** Sends the next renewal once it is due (L8), also while work drains (H2). */
export function renew(context: StepContext, { token }: Believing): void {
  if (context.now < context.state.writeAt) return;
  write(context, { kind: 'hold', token });
}

/** Starts the drain if there is a reason to end the term (L9). */
export function revoke(context: StepContext, leaseState: Believing): void {
  if (leaseState.kind !== 'leading' || !shouldEnd(context)) return;
  context.state.leaseState = { ...leaseState, kind: 'revoking' };
  context.outputs.push({ kind: 'drain', token: leaseState.token });
  if (context.rules.mayRelease(false)) release(context);
}

/**
 * Ends the term, then writes the release (L6): to the preferred member if it sent a lease request recently
 * (L7), otherwise to any member.
 */
export function release(context: StepContext): void {
  const { state, rules } = context;
  if (!isBelieving(state.leaseState)) return;
  const { token } = state.leaseState;
  if (state.abstention) state.abstention = { ...state.abstention, since: context.now };
  state.leaseState = rules.whileReleasing(state.leaseState);
  if (!isBelieving(state.leaseState)) context.outputs.push({ kind: 'released' });
  writeRelease(context, token);
}

/** Repeats a release whose outcome is unknown, or that a renewal overtook (L4). */
export function releaseAgain(context: StepContext, token: bigint): void {
  if (context.now >= context.state.writeAt) writeRelease(context, token);
}

/**
 * Releases a lease of this member that it neither believes in nor wants, so that other members need
 * not wait until it lapses.
 */
export function releaseUnwanted(context: StepContext): void {
  const { state } = context;
  const unwanted = (!state.campaigning || abstains(context)) && state.abstention?.lease !== 'lapse';
  const record = inEffect(state.fold);
  if (state.fold.kind !== 'following' || record === null || !unwanted || !isHeldHere(context))
    return;
  const until = after(state.fold.waits.arrivedAt, record.thresholdMs);
  if (context.now >= until || context.now < trustedAt(context, state.fold.waits)) return;
  state.leaseState = { kind: 'releasing', token: record.token, until };
  state.writeAt = context.now;
  releaseAgain(context, record.token);
}

function writeRelease(context: StepContext, token: bigint): void {
  const request = preferredRequest(context);
  if (request === undefined) return write(context, { kind: 'release', token });
  const { id, incarnation, member } = request;
  const next = context.rules.token(context.state.seenToken, context.wallMicros);
  write(context, {
    kind: 'release',
    to: { incarnation, requestId: id, member },
    token: next,
    thresholdMs: context.rules.delegatedMs(request, context.state.self),
  });
}

/**
 * Returns when a partition that is placed elsewhere is released without a lease request. Only applies if the
 * ledger has no lease requests.
 */
export function moveUnrequestedAt({ rules, state }: StepContext): Instant {
  const { self, ranks, movedAt } = state;
  const preferred = ranks?.at(0);
  if (self.hasLeaseRequests || preferred === undefined || preferred === self.incarnation)
    return never;
  return after(movedAt, rules.settleMs(self.thresholdMs));
}

function shouldEnd(context: StepContext): boolean {
  const { campaigning, self, movedAt } = context.state;
  if (!campaigning || abstains(context)) return true;
  if (!self.hasLeaseRequests) return context.now >= moveUnrequestedAt(context);
  return (
    context.now >= after(movedAt, context.rules.settleMs(self.thresholdMs)) &&
    preferredRequest(context) !== undefined
  );
}

/**
 * Returns the preferred member's lease request if it is another member and its lease request is recent enough to be
 * answered (L7).
 */
function preferredRequest({ rules, state, now }: StepContext): LeaseRequest | undefined {
  const preferred = state.ranks?.at(0);
  if (preferred === state.self.incarnation) return undefined;
  const pending = state.pendingRequests.find(({ request }) => request.incarnation === preferred);
  if (
    pending === undefined ||
    now >= after(pending.receivedAt, rules.requestMs(pending.request.thresholdMs).fresh)
  )
    return undefined;
  return pending.request;
}
