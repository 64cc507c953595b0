// Reports the leader of the partition to the source whenever it changes. Part of the machine in
// `step.ts`.
import type { Instant, KnownLeader } from '@leadership/core/adapter';
import { after, never } from '@leadership/core/internal/engine';
import { isBelieving, type StepContext } from './step-context.ts';

/** Emits the leader if it changed. Returns when its lease lapses without a further beat. */
export function emitLeaderChange(context: StepContext): Instant {
  const { state, outputs, now } = context;
  const { leader: received, self } = state;
  const lapseAt = !received?.leads
    ? never
    : after(received.lastBeatAt, received.thresholdMs * (1 + self.driftRate));
  const other = received?.leads && now < lapseAt ? received.leader : undefined;
  const leader = leaderOf(context, other);
  if (!isSameTerm(leader, state.lastLeader)) outputs.push({ kind: 'leader', leader });
  state.lastLeader = leader;
  return other === undefined ? never : lapseAt;
}

/** Returns the leader. If two members lead at once, prefers the one whose term is not ending. */
function leaderOf({ state }: StepContext, other: KnownLeader | undefined): KnownLeader | undefined {
  const { leaseState, self, lastLeader } = state;
  if (!isBelieving(leaseState) || (leaseState.kind !== 'leading' && other !== undefined))
    return other;
  const { member, incarnation, metadata = {} } = self;
  const { token } = leaseState;
  // Almost every step of a leader ends here: it need not make another object.
  const isLast = lastLeader?.token === token && lastLeader.incarnation === incarnation;
  return isLast ? lastLeader : { member, incarnation, token, metadata };
}

function isSameTerm(a: KnownLeader | undefined, b: KnownLeader | undefined): boolean {
  return a?.token === b?.token && a?.incarnation === b?.incarnation;
}
