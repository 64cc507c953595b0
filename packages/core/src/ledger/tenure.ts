import type { LossReason } from '../contract/leadership.ts';
import { after, type Instant } from '../time/instant.ts';
import { latest } from './claiming.ts';
import type { Believing } from './state.ts';
import { isBelieving, type Turn } from './turn.ts';

/** A proof that this member leads: until when it is believed, and before what it was sent. */
export interface Proof {
  readonly until: Instant;
  readonly sentAt: Instant;
}

/** A new term begins. */
export function takeUp({ state, outputs }: Turn, token: bigint, { until, sentAt }: Proof): void {
  state.tenure = { kind: 'leading', token, until };
  state.ledToken = token;
  state.abstention = undefined;
  state.wants = [];
  outputs.push({ kind: 'granted', token, until, sentAt });
}

/** One more proof of the running term: of several, the latest deadline counts (L3). */
export function prolong({ state, outputs }: Turn, tenure: Believing, { until, sentAt }: Proof): void {
  if (until <= tenure.until) return;
  state.tenure = { kind: tenure.kind, token: tenure.token, until };
  outputs.push({ kind: 'granted', token: tenure.token, until, sentAt });
}

/** Belief is over at once (H4). */
export function fence({ state, outputs }: Turn, reason: LossReason): void {
  state.tenure = { kind: 'follower' };
  outputs.push({ kind: 'lost', reason });
}

/**
 * Lets pass what has passed, before anything else is looked at: proof that is seen later revives nothing (T3). Whose lease
 * expired under it lets the event loop turn before it claims again, or work that blocks it in every term would let nothing else run.
 */
export function expire(turn: Turn): void {
  const { rules, state, now } = turn;
  const { tenure, self } = state;
  if (tenure.kind === 'follower' || now < tenure.until) return;
  if (!isBelieving(tenure)) {
    state.tenure = { kind: 'follower' };
    return;
  }
  fence(turn, 'expired');
  state.writeAt = latest(state.writeAt, after(now, rules.retryMs(self.thresholdMs)));
}
