// Applies a beat that was read to the state of this member. Part of the machine in `step.ts`.
import type { Instant, KnownLeader } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import type { Beat } from '../beat.ts';
import { bracketOf, withSample } from './broker-clock.ts';
import { mayProve, prove } from './lease-state.ts';
import type { BrokerClock, InductionInput } from './state.ts';
import type { StepContext } from './step-context.ts';
import { clearSuccessors, noteSuccessor } from './succession.ts';
import { noteReturn, returnsSoon } from './unreturned.ts';

type ReceivedBeat = InductionInput & { readonly kind: 'beat' };

/** Processes a beat that was read. */
export function receiveBeat(context: StepContext, received: ReceivedBeat): void {
  const { state, rules, outputs } = context;
  const { beat } = received;
  if (!rules.isOurs(beat, state.self)) outputs.push({ kind: 'ignored', what: 'foreign-group' });
  else if (beat.incarnation === state.self.incarnation) receiveOwn(context, received);
  else receiveOther(context, received);
}

function receiveOwn(context: StepContext, { beat, stampedMs, receivedAt }: ReceivedBeat): void {
  const { state, rules } = context;
  const sent = state.sent.find(({ id }) => id === beat.id);
  if (sent === undefined) return;
  state.sent = state.sent.filter((one) => one !== sent);
  if (sent.sentAt > state.ownProvedAt) state.ownProvedAt = sent.sentAt;
  if (returnsSoon(context, sent)) noteReturn(context);
  clearSuccessors(context);
  if (stampedMs !== undefined)
    compareClocks(context, { sentAt: sent.sentAt, stampedMs, receivedAt });
  if (sent.proves && mayProve(context))
    prove(context, rules.ownPublishedAt(sent, receivedAt), true);
}

function receiveOther(context: StepContext, received: ReceivedBeat): void {
  const { state, rules } = context;
  const { beat, stampedMs, receivedAt } = received;
  if (beat.token > state.seenToken && rules.leavesRoom(beat.token, context.wallMicros))
    state.seenToken = beat.token;
  noteLeader(context, beat);
  noteSuccessor(context, beat);
  if (!rules.countsOthers(state.self) || stampedMs === undefined || !mayProve(context)) return;
  const publishedAt = whenPublished(context, stampedMs, receivedAt);
  if (publishedAt !== undefined) prove(context, publishedAt, false);
}

/** Compares the clocks by an own beat (I2). */
function compareClocks(context: StepContext, sample: BrokerClock['floor']): void {
  const { state, rules, outputs } = context;
  const { clock, agrees } = withSample(rules, state.clock, sample, state.self.driftRate);
  state.clock = clock;
  if (!agrees) outputs.push({ kind: 'broken', rule: 'I2' });
  measure(context, clock, sample.stampedMs);
}

/**
 * Returns when another member's beat was published, by this member's clock; `undefined` if the
 * broker's clock is unknown (I2).
 */
function whenPublished(
  context: StepContext,
  stampedMs: number,
  receivedAt: ReceivedBeat['receivedAt'],
): Instant | undefined {
  const { state, rules, outputs } = context;
  const { clock, self } = state;
  if (clock === undefined) return undefined;
  const { earliest } = bracketOf(rules, clock, stampedMs, self.driftRate);
  if (!rules.isPossible(earliest, receivedAt)) {
    state.clock = undefined;
    outputs.push({ kind: 'broken', rule: 'I2' });
    return undefined;
  }
  measure(context, clock, stampedMs);
  return rules.publishedAt(earliest, receivedAt);
}

function measure({ state, rules }: StepContext, clock: BrokerClock, stampedMs: number): void {
  const { earliest, latest } = bracketOf(rules, clock, stampedMs, state.self.driftRate);
  state.clockErrorMs = latest - earliest;
}

/**
 * Records the leader for the roster. Of two leaders it keeps the one that is in charge, or that was
 * put in charge later.
 */
function noteLeader(context: StepContext, beat: Beat): void {
  const { state, now, outputs } = context;
  const { incarnation, sequence, standing, generation, thresholdMs } = beat;
  const leads = standing === 'leading' || standing === 'lingering';
  const known = state.leader;
  const isSame = known?.leader.incarnation === incarnation;
  const isNew = isSame ? sequence > known.sequence : leads && !isOutdone(context, beat);
  if (isNew) {
    const leader = isSame && isUnchanged(known.leader, beat) ? known.leader : leaderOf(beat);
    state.leader = { leader, sequence, leads, generation, lastBeatAt: now, thresholdMs };
  }
  const isAlone = state.self.promise === 'exclusive' && state.leaseState.kind === 'leading';
  if (isAlone && standing === 'leading') outputs.push({ kind: 'broken', rule: 'I5' });
}

function isUnchanged({ token, metadata }: KnownLeader, beat: Beat): boolean {
  return token === beat.token && metadata === beat.metadata;
}

function leaderOf({ incarnation, member, token, metadata = {} }: Beat): KnownLeader {
  return { incarnation, member, token, metadata };
}

/** Returns whether another recent leader takes precedence over the sender of this beat. */
function isOutdone({ state, now }: StepContext, { standing, generation }: Beat): boolean {
  const { leader: known } = state;
  if (!known?.leads || now >= after(known.lastBeatAt, known.thresholdMs)) return false;
  return (
    standing === 'lingering' || (generation ?? known.generation ?? 0) < (known.generation ?? 0)
  );
}
