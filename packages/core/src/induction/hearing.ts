import { after, type longAgo } from '../time/instant.ts';
import type { Beat } from './beat.ts';
import { type BrokerClock, bracketOf, withSample } from './broker-clock.ts';
import { isGoing } from './standing.ts';
import type { InductionInput } from './state.ts';
import { mayProve, prove } from './tenure.ts';
import type { Turn } from './turn.ts';

type HeardBeat = InductionInput & { readonly kind: 'beat' };

/** A beat was read. */
export function hear(turn: Turn, heard: HeardBeat): void {
  const { state, rules, outputs } = turn;
  const { beat } = heard;
  if (!rules.isOurs(beat, state.self)) outputs.push({ kind: 'ignored', what: 'foreign-group' });
  else if (beat.incarnation === state.self.incarnation) hearOwn(turn, heard);
  else hearOther(turn, heard);
}

function hearOwn(turn: Turn, { beat, stampedMs, receivedAt }: HeardBeat): void {
  const { state, rules } = turn;
  const sent = state.sent.find(({ id }) => id === beat.id);
  if (sent === undefined) return;
  state.sent = state.sent.filter((one) => one !== sent);
  if (stampedMs !== undefined) compareClocks(turn, { sentAt: sent.sentAt, stampedMs, receivedAt });
  if (sent.proves && mayProve(turn)) prove(turn, rules.ownPublishedAt(sent, receivedAt), true);
}

function hearOther(turn: Turn, heard: HeardBeat): void {
  const { state, rules } = turn;
  const { beat, stampedMs, receivedAt } = heard;
  if (beat.token > state.seenToken) state.seenToken = beat.token;
  noteLeader(turn, beat);
  noteSuccessor(turn, beat);
  if (!rules.countsOthers(state.self) || stampedMs === undefined || !mayProve(turn)) return;
  const publishedAt = whenPublished(turn, stampedMs, receivedAt);
  if (publishedAt !== undefined) prove(turn, publishedAt, false);
}

/** A beat of our own says how far apart the clocks are (I2). */
function compareClocks(turn: Turn, sample: BrokerClock['floor']): void {
  const { state, rules, outputs } = turn;
  const { clock, agrees } = withSample(rules, state.clock, sample, state.self.driftRate);
  state.clock = clock;
  if (!agrees) outputs.push({ kind: 'broken', rule: 'I2' });
  measure(turn, clock, sample.stampedMs);
}

/** When another's beat was published by our own clock, where that is known well enough (I2). */
function whenPublished(turn: Turn, stampedMs: number, receivedAt: HeardBeat['receivedAt']): typeof longAgo | undefined {
  const { state, rules, outputs } = turn;
  const { clock, self } = state;
  if (clock === undefined) return undefined;
  const { earliest } = bracketOf(rules, clock, stampedMs, self.driftRate);
  if (!rules.isPossible(earliest, receivedAt)) {
    state.clock = undefined;
    outputs.push({ kind: 'broken', rule: 'I2' });
    return undefined;
  }
  const errorMs = measure(turn, clock, stampedMs);
  return rules.isPrecise(errorMs, self) ? rules.publishedAt(earliest, receivedAt) : undefined;
}

function measure({ state, rules }: Turn, clock: BrokerClock, stampedMs: number): number {
  const { earliest, latest } = bracketOf(rules, clock, stampedMs, state.self.driftRate);
  state.clockErrorMs = latest - earliest;
  return state.clockErrorMs;
}

/** Who else is in charge, where that came after this member (I1). */
function noteSuccessor(turn: Turn, { incarnation, standing, generation }: Beat): void {
  const { state, rules, now } = turn;
  if (standing !== 'assigned' && standing !== 'leading') return;
  const isAppointed = state.appointed && !isGoing(turn);
  if (!rules.succeeds(generation, state.generation, isAppointed)) return;
  state.successor = { incarnation, standing, generation, heardAt: now };
}

/** Who leads, for the roster; of two, the one that was put in charge later. */
function noteLeader(turn: Turn, beat: Beat): void {
  const { state, now, outputs } = turn;
  const { leader: known, self, tenure } = state;
  const { incarnation, member, token, generation, thresholdMs, metadata = {} } = beat;
  if (beat.standing !== 'leading') {
    if (known?.leader.incarnation === incarnation) state.leader = undefined;
    return;
  }
  if (self.promise === 'exclusive' && tenure.kind === 'leading') outputs.push({ kind: 'broken', rule: 'I5' });
  const isFresh = known !== undefined && now < after(known.heardAt, known.thresholdMs);
  if (isFresh && (generation ?? known.generation ?? 0) < (known.generation ?? 0)) return;
  state.leader = { leader: { incarnation, member, token, metadata }, generation, heardAt: now, thresholdMs };
}
