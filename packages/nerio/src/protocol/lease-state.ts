// How a term of this member begins, is extended and ends. Part of the machine in `step.ts`.
import type { LossReason } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import type { Draft } from '@leadership/core/internal/engine';
import type { Claim, LeaseState, Round } from './lease.ts';
import type { GrantRequest } from './message.ts';
import { changeClaim, type StepContext } from './step-context.ts';

/** Begins a new term. A round follows at once, because it informs all members of the leader. */
export function resume(
  context: StepContext,
  partition: number,
  claim: Draft<Claim>,
  until: number,
  { request, timestamp }: Round,
): void {
  const { rules, state, now, moment } = context;
  const { token } = request;
  const deadline = rules.beliefUntil(until, now, moment, state.self);
  claim.leaseState = {
    kind: 'leading',
    token,
    until,
    deadline,
    timestamp,
    promisedUntil: moment.now,
    announcedBy: now,
    since: now,
    successor: -1,
    hasDrained: false,
  };
  claim.ownToken = token;
  claim.renewAt = now;
  claim.abstainUntil = Number.NEGATIVE_INFINITY;
  claim.abstainMs = 0;
  claim.isUrged = false;
  claim.requestedBy = -1;
  claim.failures = 0;
  reportGranted(context, partition, token, deadline, request);
}

/** Reports to the host that the term with this token is current until that moment. */
export function reportGranted(
  { rules, now, moment, outputs }: StepContext,
  partition: number,
  token: bigint,
  until: Instant,
  { start }: GrantRequest,
): void {
  const sentAt = rules.wakeAt(start.at, now, moment);
  outputs.push({ kind: 'granted', partition, token, until, sentAt });
}

/**
 * Ends belief. A member that gave the partition up abstains from now on, because its work may have
 * taken long to drain (L9).
 */
export function endTerm(context: StepContext, partition: number): void {
  const claim = changeClaim(context, partition);
  claim.leaseState = { kind: 'follower' };
  claim.round = undefined;
  if (claim.abstainMs > 0)
    claim.abstainUntil = Math.max(claim.abstainUntil, context.now + claim.abstainMs);
  claim.abstainMs = 0;
}

/** Ends belief at once (H4). */
export function fence(context: StepContext, partition: number, reason: LossReason): void {
  endTerm(context, partition);
  context.outputs.push({ kind: 'lost', partition, reason });
}

/** Returns the token of a term that is about to end in order; `undefined` for any other. */
export function revokedToken(leaseState: LeaseState | undefined): bigint | undefined {
  return leaseState?.kind === 'revoking' ? leaseState.token : undefined;
}
