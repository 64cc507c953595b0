// How a term of this member begins, is extended and ends. Part of the machine in `step.ts`.
import type { LossReason } from '../../contract/leadership.ts';
import { after, type Instant } from '../../time/instant.ts';
import { latest } from './claiming.ts';
import type { Believing } from './state.ts';
import { isBelieving, type StepContext } from './step-context.ts';

/** A proof that this member leads: its deadline, and the instant before the request was sent. */
export interface Proof {
  readonly until: Instant;
  readonly sentAt: Instant;
}

/** Begins a new term. */
export function beginTerm(
  { state, outputs }: StepContext,
  token: bigint,
  { until, sentAt }: Proof,
): void {
  state.leaseState = { kind: 'leading', token, until };
  state.ledToken = token;
  state.abstention = undefined;
  state.ownRequests = [];
  outputs.push({ kind: 'granted', token, until, sentAt });
}

/**
 * Extends the current term by one more proof. Of several proofs, the latest deadline counts (L3).
 */
export function extendTerm(
  { state, outputs }: StepContext,
  leaseState: Believing,
  { until, sentAt }: Proof,
): void {
  if (until <= leaseState.until) return;
  state.leaseState = { kind: leaseState.kind, token: leaseState.token, until };
  outputs.push({ kind: 'granted', token: leaseState.token, until, sentAt });
}

/** Ends the term at once (H4). */
export function fence({ state, outputs }: StepContext, reason: LossReason): void {
  state.leaseState = { kind: 'follower' };
  outputs.push({ kind: 'lost', reason });
}

/**
 * Ends a term whose deadline has passed, before the step does anything else: a later proof does not
 * revive it (T3). After an expiry the next claim waits a little, so that the event loop can run;
 * otherwise work that blocks it in every term would starve everything else.
 */
export function expire(context: StepContext): void {
  const { rules, state, now } = context;
  const { leaseState, self } = state;
  if (leaseState.kind === 'follower' || now < leaseState.until) return;
  if (!isBelieving(leaseState)) {
    state.leaseState = { kind: 'follower' };
    return;
  }
  fence(context, 'expired');
  state.writeAt = latest(state.writeAt, after(now, rules.retryMs(self.thresholdMs, 0, 0)));
}
