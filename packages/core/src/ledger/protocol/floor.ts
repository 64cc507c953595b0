// Keeps tokens growing when an operator deletes a group's leases: the floor is the greatest token
// of the group, kept in a second place (T1, `TokenFloor`). A member claims an empty register only
// after it has read the floor. Rule numbers such as T1: docs/reference/rules.md.
import { mayClaim } from './claiming.ts';
import type { LedgerInput } from './state.ts';
import { adoptToken, type StepContext } from './step-context.ts';

/**
 * Requests a read of the floor if this member may claim and has not requested one since it last
 * read the register to its end. A member waits before it claims an empty register (L5): meanwhile
 * the floor can be read.
 */
export function readFloor(context: StepContext): void {
  const { state, outputs, now } = context;
  if (state.floor !== 'unread' || state.fold.kind !== 'following' || !mayClaim(context)) return;
  state.floor = { askedAt: now };
  outputs.push({ kind: 'read-floor' });
}

/**
 * Processes the result of a read of the floor. Tokens that this member issues from now on exceed it
 * (T1). A result of a read that began before the latest request leaves that request open.
 */
export function learnFloor(
  context: StepContext,
  { token, askedAt }: LedgerInput & { readonly kind: 'floor' },
): void {
  const { state } = context;
  adoptToken(context, token);
  if (typeof state.floor === 'object' && askedAt >= state.floor.askedAt) state.floor = 'read';
}
