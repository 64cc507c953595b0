// What a voter that lost its memory has to learn before it grants again (N16): the greatest token that was ever granted, from members
// that share a voter with every quorum. It asks when its silence (N4) is over: before that, what it granted in its former life may
// still be answered, and the term that comes of it be known to nobody it has asked.
import { type Members, nobody, only } from './members.ts';
import type { Learn, Learned, Sender } from './message.ts';
import { askedAtOf, beatsRemembered, measured } from './round-trip.ts';
import type { Forgetful, Learning } from './state.ts';
import { changeGrant, isVoter, reply, send, type Turn } from './turn.ts';
import { isBarred, persist } from './vows.ts';

/** Nobody has been asked yet. */
export function nothingLearnt(now: number): Learning {
  const never = Number.POSITIVE_INFINITY;
  return { remembering: nobody, forgetful: [], unbound: nobody, askAt: now, beat: 0, beatsAt: [], since: never, met: [] };
}

/** Asks the other voters when it is time; says when it will be time again. */
export function learn(turn: Turn): number {
  const { state, now } = turn;
  const { learning } = state;
  if (learning === undefined || state.index < 0) return Number.POSITIVE_INFINITY;
  const dueAt = Math.max(learning.askAt, state.mutedUntil);
  if (now < dueAt) return dueAt;
  if (goOnWithoutMemory(turn, learning)) return Number.POSITIVE_INFINITY;
  const askAt = now + state.self.pingMs;
  const beat = learning.beat + 1;
  const beatsAt = [now, ...learning.beatsAt.slice(0, beatsRemembered - 1)];
  state.learning = { ...learning, askAt, beat, beatsAt, since: Math.min(learning.since, now) };
  send(turn, othersOf(turn), { kind: 'learn', beat });
  return askAt;
}

function othersOf({ state }: Turn): number {
  return state.electorate.voters & ~only(state.index);
}

/** Someone said something: it was there before this member had found out what there is to learn. */
export function meet({ state }: Turn, { incarnation }: Sender, index: number): void {
  const { learning } = state;
  if (learning === undefined || learning.met[index] === incarnation) return;
  const met = learning.met.slice();
  met[index] = incarnation;
  state.learning = { ...learning, met };
}

/**
 * Someone wants to know which tokens were granted. If it was without memory already when this one found that a quorum was, it had as much
 * right to go on then, and has it still: what this one has learnt since is no part of what it has forgotten. Or each after the first to
 * go on would wait for members that are away.
 */
export function hearLearn(turn: Turn, from: Sender, { beat }: Learn): void {
  const { state } = turn;
  if (!isVoter(state)) return;
  const tokens = state.grants.map(({ token }) => token);
  const mayHaveAccepted = state.wedge?.accepted !== undefined || isBarred(state);
  const epochMax = state.electorate.number + (mayHaveAccepted ? 1 : 0);
  const remembers = state.learning === undefined && !state.forgotWith.includes(from.incarnation);
  reply(turn, from, { kind: 'learned', beat, tokens, remembers, epochMax });
}

/**
 * Someone says which tokens it granted, in answer to any of the latest questions. All of them were asked after the silence (N4): by then
 * every grant of former lives was over, so whoever remembers then knows what this member has to learn, and what it says holds for good.
 */
export function hearLearned(turn: Turn, from: Sender, index: number, { beat, tokens, remembers, epochMax }: Learned): void {
  const { rules, state, now } = turn;
  const { learning } = state;
  const askedAt = learning && askedAtOf(learning.beatsAt, learning.beat, beat);
  if (learning === undefined || askedAt === undefined) return;
  state.roundTrip = measured(state.roundTrip, now - askedAt, state.self);
  tokens.forEach((token, partition) => {
    if (partition >= state.grants.length || token <= (state.grants[partition]?.token ?? 0n)) return;
    const grant = changeGrant(turn, partition);
    grant.token = token;
    grant.tokenBy = undefined;
  });
  const learnt: Learning = {
    ...learning,
    remembering: remembers ? learning.remembering | only(index) : learning.remembering,
    forgetful: withAnswer(learning.forgetful, index, remembers ? undefined : { incarnation: from.incarnation, from: now, to: askedAt }),
    unbound: epochMax === state.electorate.number ? learning.unbound | only(index) : learning.unbound,
  };
  state.learning = learnt;
  if (rules.hasLearnt(state.electorate.quorums, learnt.remembering, nobody)) goOn(turn, learnt, []);
  else goOnWithoutMemory(turn, learnt);
}

/** A member that remembers has not forgotten any more; of one that still has, it is known for how long it has. */
function withAnswer(before: Learning['forgetful'], index: number, said: Forgetful | undefined): Learning['forgetful'] {
  const known = before[index];
  const next = before.slice();
  const isSame = said !== undefined && known?.incarnation === said.incarnation;
  next[index] = isSame ? { ...known, from: Math.min(known.from, said.from), to: Math.max(known.to, said.to) } : said;
  return next;
}

/**
 * Where a quorum has forgotten, nothing makes up for it. It has if all of it had at one moment: answers of different moments show nothing,
 * as one member may have learnt before the next forgot. Nor is it enough that some have answered: one that remembers may be slow.
 * So all others must have answered, or have had the time of the slowest answer since that moment.
 */
function goOnWithoutMemory(turn: Turn, learning: Learning): boolean {
  const { rules, state, now } = turn;
  const { remembering, met } = learning;
  const slowestMs = rules.slowestAnswerMs(state.self);
  const moments = [learning.since, ...learning.forgetful.flatMap((one) => one?.from ?? [])];
  const isShown = moments.some((at) => {
    const forgetful = forgetfulAt(turn, learning, at);
    const hasAll = (othersOf(turn) & ~(remembering | forgetful)) === nobody;
    if (!hasAll && now < at + slowestMs) return false;
    return rules.hasLearnt(state.electorate.quorums, remembering, forgetful | only(state.index));
  });
  if (!isShown) return false;
  return goOn(
    turn,
    learning,
    met.filter((incarnation) => incarnation !== undefined),
  );
}

/** The members that had forgotten at that moment, by what they have answered before and after. */
function forgetfulAt({ rules }: Turn, { forgetful }: Learning, at: number): Members {
  return forgetful.reduce<Members>(
    (set, one, index) => (one && rules.hadForgotten(one.from, one.to, at) ? set | only(index) : set),
    nobody,
  );
}

/** Ends the learning, unless it has yet to be found out whether vows that were lost may bind this member in epochs to come. */
function goOn(turn: Turn, learning: Learning, forgotWith: readonly string[]): boolean {
  const { state } = turn;
  if (state.forgotThrough === Number.POSITIVE_INFINITY) {
    const isLatest = isLatestEpoch(turn, learning);
    if (state.vows === 'lost' && !isLatest) return false;
    if (isLatest) noteLatest(turn);
  }
  state.forgotWith = forgotWith;
  state.learning = undefined;
  return true;
}

/**
 * Whether no later epoch ran before the others were asked: it would have been accepted by a quorum, of which one would have said so. Nor
 * then has a former life of this member been in a later one. Who keeps no vows has accepted nothing in any life.
 */
function isLatestEpoch({ rules, state }: Turn, { unbound }: Learning): boolean {
  return rules.isLatest(state.electorate.quorums, state.vows === 'none' ? unbound | only(state.index) : unbound);
}

function noteLatest(turn: Turn): void {
  const { state } = turn;
  state.forgotThrough = state.electorate.number;
  if (state.vows === 'lost') persist(turn);
}
