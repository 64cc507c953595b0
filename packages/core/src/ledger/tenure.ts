import type { LossReason } from '../contract/leadership.ts';
import type { Instant } from '../time/instant.ts';
import type { Believing } from './state.ts';
import { isBelieving, type Turn } from './turn.ts';

/** A new term begins. */
export function takeUp({ state, outputs }: Turn, token: bigint, until: Instant): void {
  state.tenure = { kind: 'leading', token, until };
  state.ledToken = token;
  state.abstention = undefined;
  state.wants = [];
  outputs.push({ kind: 'granted', token, until });
}

/** One more proof of the running term: of several, the latest deadline counts (L3). */
export function prolong({ state, outputs }: Turn, tenure: Believing, until: Instant): void {
  if (until <= tenure.until) return;
  state.tenure = { kind: tenure.kind, token: tenure.token, until };
  outputs.push({ kind: 'granted', token: tenure.token, until });
}

/** Belief is over at once (H4). */
export function fence({ state, outputs }: Turn, reason: LossReason): void {
  state.tenure = { kind: 'follower' };
  outputs.push({ kind: 'lost', reason });
}

/** Lets pass what has passed, before anything else is looked at: proof that is seen later revives nothing (T3). */
export function expire(turn: Turn): void {
  const { tenure } = turn.state;
  if (tenure.kind === 'follower' || turn.now < tenure.until) return;
  if (isBelieving(tenure)) fence(turn, 'expired');
  else turn.state.tenure = { kind: 'follower' };
}
