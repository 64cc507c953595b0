// How a member asks the holder of a lease to hand it over, when the placement prefers this member.
// Part of the machine in `step.ts`.
import { after, type Instant, never } from '../../time/instant.ts';
import { holderOf } from '../record.ts';
import { abstains, latest, mayClaim, trustedAt, vacantAt } from './claiming.ts';
import type { PendingRequest } from './state.ts';
import { isHeldHere, type StepContext } from './step-context.ts';

/**
 * Requests the lease from its holder while this member is preferred and does not hold it (L7).
 * Returns when to ask again.
 */
export function requestLease(context: StepContext): Instant {
  const { state, rules, now } = context;
  const dueAt = nextRequestAt(context);
  if (now < dueAt) return dueAt;
  const { self, partition } = state;
  const { member, incarnation, thresholdMs } = self;
  state.sequence += 1;
  const id = `${member}/${incarnation}/${partition}.${state.sequence}`;
  state.ownRequests = [
    ...state.ownRequests.filter((request) => request.sentAt > now - thresholdMs),
    { id, sentAt: now },
  ];
  state.requestAt = after(now, rules.requestMs(thresholdMs).every);
  context.outputs.push({
    kind: 'request-lease',
    request: { partition, id, incarnation, member, thresholdMs },
  });
  return state.requestAt;
}

/**
 * Returns when the next lease request is due. A member that cannot read the register sends none: it would
 * not see the answer, or could not trust it.
 */
function nextRequestAt(context: StepContext): Instant {
  const { fold, self, ranks, requestAt } = context.state;
  const isPreferred = ranks?.at(0) === self.incarnation;
  if (!self.hasLeaseRequests || !isPreferred || fold.kind !== 'following' || !mayClaim(context))
    return never;
  const isHeldElsewhere =
    holderOf(fold.effect) !== undefined &&
    !isHeldHere(context) &&
    context.now < vacantAt(context, fold);
  return isHeldElsewhere && !abstains(context)
    ? latest(requestAt, trustedAt(context, fold.waits))
    : never;
}

/** Stores the latest lease request of each member while it is fresh enough to be answered. */
export function receiveRequest({ state, rules, now }: StepContext, pending: PendingRequest): void {
  const { incarnation, thresholdMs } = pending.request;
  if (
    incarnation === state.self.incarnation ||
    !(thresholdMs > 0 && thresholdMs <= state.self.thresholdMsMax)
  )
    return;
  const others = state.pendingRequests.filter(({ request }) => request.incarnation !== incarnation);
  const fresh = others.filter(
    ({ request, receivedAt }) =>
      now < after(receivedAt, rules.requestMs(request.thresholdMs).fresh),
  );
  state.pendingRequests = [...fresh, pending];
}
