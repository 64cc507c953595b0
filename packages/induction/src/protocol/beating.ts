// When the leader writes its next beat. Part of the machine in `step.ts`.
import type { Instant } from '@leadership/core/adapter';
import { after, type Draft, never } from '@leadership/core/internal/engine';
import type { Beat } from '../beat.ts';
import { isInCharge } from './in-charge.ts';
import { isBelieving, type StepContext } from './step-context.ts';
import { judgeReturns, noteReturn } from './unreturned.ts';

/** Sends the next beat once it is due (I3). Returns when the following beat is due. */
export function beat(context: StepContext): Instant {
  const { state, now } = context;
  const standing = standingOf(context);
  if (standing === undefined) return never;
  if (now < state.beatAt) return state.beatAt;
  if (state.unreturned && !context.rules.awaitsReturn()) noteReturn(context);
  judgeReturns(context);
  send(context, standing);
  const { self } = state;
  state.beatAt = after(now, isProbing(context) ? context.rules.probeMs(self) : self.beatMs);
  return state.beatAt;
}

/**
 * Sends a last beat, so that other members need not wait T to know that this one no longer leads.
 */
export function sendFinalBeat(context: StepContext): void {
  send(context, 'present');
}

/** Processes a beat that may not have been written: the next one is sent sooner. */
export function learnUnsent(context: StepContext, id: string): void {
  const { state, now } = context;
  if (!state.sent.some((sent) => sent.id === id) || isProbing(context)) return;
  const soon = after(now, Math.min(state.self.beatMs, retryMs(state.self.thresholdMs)));
  if (soon < state.beatAt) state.beatAt = soon;
}

/**
 * Returns the delay before the beat after a failed one: short enough to stay proved, long enough
 * not to overload the broker.
 */
function retryMs(thresholdMs: number): number {
  return thresholdMs / 12;
}

/** Returns the standing to send now, or `undefined` if this member sends no beats (I3). */
function standingOf(context: StepContext): Beat['standing'] | undefined {
  const { leaseState, campaigning, self, unreturned } = context.state;
  if (isBelieving(leaseState))
    return leaseState.kind === 'leading' || !leaseState.frozen ? 'leading' : 'lingering';
  if (isInCharge(context)) return 'assigned';
  return campaigning && (self.beats === 'all' || unreturned) ? 'present' : undefined;
}

/** Returns whether the beats of this member only try whether they return (I9). */
function isProbing(context: StepContext): boolean {
  return context.state.self.beats === 'owner' && standingOf(context) === 'present';
}

function send({ state, outputs, now }: StepContext, standing: Beat['standing']): void {
  state.sequence += 1;
  const { self, partition, sequence, leaseState, generation } = state;
  const { group, member, incarnation, partitions, thresholdMs, metadata } = self;
  const isLeading = isBelieving(leaseState);
  const beat: Draft<Beat> = {
    group,
    partition,
    id: `${member}/${incarnation}/${partition}.${sequence}`,
    member,
    incarnation,
    sequence,
    standing,
    token: isLeading ? leaseState.token : 0n,
    partitions,
    thresholdMs,
  };
  if (standing !== 'present' && generation !== undefined) beat.generation = generation;
  if (metadata && isLeading) beat.metadata = metadata;
  const young = state.sent.filter(({ sentAt }) => sentAt > now - thresholdMs);
  state.sent = [
    ...young,
    { id: beat.id, sentAt: now, proves: standing === 'assigned' || standing === 'leading' },
  ];
  outputs.push({ kind: 'beat', beat });
}
