import { mayClaim } from './claiming.ts';
import type { LedgerInput } from './state.ts';
import type { StepContext } from './step-context.ts';

/**
 * Requests the floor if this member may claim and has not requested it since the register was last
 * read. The wait for an empty register (L5) leaves time for the answer.
 */
export function readFloor(context: StepContext): void {
  const { state, outputs, now } = context;
  if (state.floor !== 'unread' || state.fold.kind !== 'following' || !mayClaim(context)) return;
  state.floor = { askedAt: now };
  outputs.push({ kind: 'read-floor' });
}

/** Processes the floor. Tokens that are issued from now on exceed it (T1). */
export function learnFloor(
  { state, rules }: StepContext,
  { token, askedAt }: LedgerInput & { readonly kind: 'floor' },
): void {
  state.seenToken = rules.knownToken(state.seenToken, token);
  if (typeof state.floor === 'object' && askedAt >= state.floor.askedAt) state.floor = 'read';
}
