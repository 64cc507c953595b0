// Lets a restarted voter vote again: one that lost its memory must learn the greatest granted token
// before it grants again (N16). It asks members that share a voter with every quorum, and only
// after its silence (N4). Before that, a candidate may still win with a grant of an earlier
// incarnation, and the asked members would not know of that term.

import { isBarred, persist } from './hard-state.ts';
import { type Members, nobody, only } from './members.ts';
import type { Learn, Learned, Sender } from './message.ts';
import { askedAtOf, beatsRemembered, measured } from './round-trip.ts';
import type { Forgetful, Learning } from './state.ts';
import { changeGrant, isVoter, reply, type StepContext, send } from './step-context.ts';

/** Returns the progress of a voter that has asked no member yet. */
export function nothingLearnt(now: number): Learning {
  const never = Number.POSITIVE_INFINITY;
  return {
    remembering: nobody,
    forgetful: [],
    unbound: nobody,
    askAt: now,
    beat: 0,
    beatsAt: [],
    since: never,
    met: [],
  };
}

/** Queries the other voters when it is time. Returns the next time. */
export function learn(context: StepContext): number {
  const { state, now } = context;
  const { learning } = state;
  if (learning === undefined || state.index < 0) return Number.POSITIVE_INFINITY;
  const dueAt = Math.max(learning.askAt, state.mutedUntil);
  if (now < dueAt) return dueAt;
  if (goOnWithoutMemory(context, learning)) return Number.POSITIVE_INFINITY;
  const askAt = now + state.self.pingMs;
  const beat = learning.beat + 1;
  const beatsAt = [now, ...learning.beatsAt.slice(0, beatsRemembered - 1)];
  state.learning = { ...learning, askAt, beat, beatsAt, since: Math.min(learning.since, now) };
  send(context, othersOf(context), { kind: 'learn', beat });
  return askAt;
}

function othersOf({ state }: StepContext): number {
  return state.electorate.voters & ~only(state.index);
}

/** Notes a message of that incarnation: it was present before this member had finished learning. */
export function meet({ state }: StepContext, { incarnation }: Sender, index: number): void {
  const { learning } = state;
  if (learning === undefined || learning.met[index] === incarnation) return;
  const met = learning.met.slice();
  met[index] = incarnation;
  state.learning = { ...learning, met };
}

/**
 * Answers a query for the granted tokens. If the requester was already without memory when this
 * member found that a quorum was, the answer is that this member does not remember: the requester
 * had the same right to go on then, and still has. Otherwise each later one would wait for members
 * that are away.
 */
export function receiveLearn(context: StepContext, from: Sender, { beat }: Learn): void {
  const { state } = context;
  if (!isVoter(state)) return;
  const tokens = state.grants.map(({ token }) => token);
  const mayHaveAccepted = state.wedge?.accepted !== undefined || isBarred(state);
  const epochMax = state.electorate.number + (mayHaveAccepted ? 1 : 0);
  const remembers = state.learning === undefined && !state.forgotWith.includes(from.incarnation);
  reply(context, from, { kind: 'learned', beat, tokens, remembers, epochMax });
}

/**
 * Receives an answer to any of the latest queries. All queries were sent after the silence (N4),
 * when every grant of earlier incarnations was over. So a member that remembers knows everything
 * that this member has to learn, and its answer stays valid.
 */
export function receiveLearned(
  context: StepContext,
  from: Sender,
  index: number,
  { beat, tokens, remembers, epochMax }: Learned,
): void {
  const { rules, state, now } = context;
  const { learning } = state;
  const askedAt = learning && askedAtOf(learning.beatsAt, learning.beat, beat);
  if (learning === undefined || askedAt === undefined) return;
  state.roundTrip = measured(state.roundTrip, now - askedAt, state.self);
  tokens.forEach((token, partition) => {
    if (partition >= state.grants.length || token <= (state.grants[partition]?.token ?? 0n)) return;
    const grant = changeGrant(context, partition);
    grant.token = token;
    grant.tokenBy = undefined;
  });
  const learnt: Learning = {
    ...learning,
    remembering: remembers ? learning.remembering | only(index) : learning.remembering,
    forgetful: withAnswer(
      learning.forgetful,
      index,
      remembers ? undefined : { incarnation: from.incarnation, from: now, to: askedAt },
    ),
    unbound:
      epochMax === state.electorate.number ? learning.unbound | only(index) : learning.unbound,
  };
  state.learning = learnt;
  if (rules.hasLearnt(state.electorate.quorums, learnt.remembering, nobody))
    goOn(context, learnt, []);
  else goOnWithoutMemory(context, learnt);
}

/**
 * Returns the answers with this one. A member that remembers is no longer forgetful; for a
 * forgetful one the known period is extended.
 */
function withAnswer(
  before: Learning['forgetful'],
  index: number,
  said: Forgetful | undefined,
): Learning['forgetful'] {
  const known = before[index];
  const next = before.slice();
  const isSame = said !== undefined && known?.incarnation === said.incarnation;
  next[index] = isSame
    ? { ...known, from: Math.min(known.from, said.from), to: Math.max(known.to, said.to) }
    : said;
  return next;
}

/**
 * Goes on if a quorum has lost its memory, because then no query can restore it. All of the quorum
 * must have been without memory at one moment: one member may have learnt before the next one
 * forgot. Some answers are not enough either, because a member that remembers may be slow. So all
 * others must have answered, or have had the time of the slowest answer since that moment.
 */
function goOnWithoutMemory(context: StepContext, learning: Learning): boolean {
  const { rules, state, now } = context;
  const { remembering, met } = learning;
  const slowestMs = rules.slowestAnswerMs(state.self);
  const moments = [learning.since, ...learning.forgetful.flatMap((one) => one?.from ?? [])];
  const isShown = moments.some((at) => {
    const forgetful = forgetfulAt(context, learning, at);
    const hasAll = (othersOf(context) & ~(remembering | forgetful)) === nobody;
    if (!hasAll && now < at + slowestMs) return false;
    return rules.hasLearnt(state.electorate.quorums, remembering, forgetful | only(state.index));
  });
  if (!isShown) return false;
  return goOn(
    context,
    learning,
    met.filter((incarnation) => incarnation !== undefined),
  );
}

/**
 * The members that were without memory at that moment, as their answers before and after it show.
 */
function forgetfulAt({ rules }: StepContext, { forgetful }: Learning, at: number): Members {
  return forgetful.reduce<Members>(
    (set, one, index) =>
      one && rules.hadForgotten(one.from, one.to, at) ? set | only(index) : set,
    nobody,
  );
}

/** Ends the learning, unless lost commitments may still bind this member in later epochs. */
function goOn(context: StepContext, learning: Learning, forgotWith: readonly string[]): boolean {
  const { state } = context;
  if (state.forgotThrough === Number.POSITIVE_INFINITY) {
    const isLatest = isLatestEpoch(context, learning);
    if (state.hardStateStatus === 'lost' && !isLatest) return false;
    if (isLatest) noteLatest(context);
  }
  state.forgotWith = forgotWith;
  state.learning = undefined;
  return true;
}

/**
 * Whether no later epoch ran before the queries: otherwise a quorum would have accepted it, and one
 * of its voters would have answered so. Then no earlier incarnation of this member has been in a
 * later epoch either. A member without a stored hard state has never accepted anything.
 */
function isLatestEpoch({ rules, state }: StepContext, { unbound }: Learning): boolean {
  return rules.isLatest(
    state.electorate.quorums,
    state.hardStateStatus === 'none' ? unbound | only(state.index) : unbound,
  );
}

function noteLatest(context: StepContext): void {
  const { state } = context;
  state.forgotThrough = state.electorate.number;
  if (state.hardStateStatus === 'lost') persist(context);
}
