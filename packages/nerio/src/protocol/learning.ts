// What a voter that lost its memory has to learn before it grants again (N16): the greatest token that was ever granted, from members
// that share a voter with every quorum. It asks when its silence (N4) is over: before that, what it granted in its former life may
// still be answered, and the term that comes of it be known to nobody it has asked.
import { nobody, only } from './members.ts';
import type { Learn, Learned, Sender } from './message.ts';
import type { Learning } from './state.ts';
import { changeGrant, isVoter, reply, send, type Turn } from './turn.ts';
import { isBarred, persist } from './vows.ts';

/** Nobody has answered yet. */
const nobodyYet = { answered: nobody, remembering: nobody, unbound: nobody } as const;

/** Nobody has been asked yet. */
export function nothingLearnt(now: number): Learning {
  return { ...nobodyYet, askAt: now, beat: 0, met: [] };
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
  state.learning = { ...nobodyYet, askAt, beat, met: learning.met };
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

/** Someone says which tokens it granted. */
export function hearLearned(turn: Turn, index: number, { beat, tokens, remembers, epochMax }: Learned): void {
  const { rules, state } = turn;
  const { learning } = state;
  if (learning === undefined || beat !== learning.beat) return;
  tokens.forEach((token, partition) => {
    if (partition >= state.grants.length || token <= (state.grants[partition]?.token ?? 0n)) return;
    const grant = changeGrant(turn, partition);
    grant.token = token;
    grant.tokenBy = undefined;
  });
  const learnt = {
    ...learning,
    answered: learning.answered | only(index),
    remembering: remembers ? learning.remembering | only(index) : learning.remembering,
    unbound: epochMax === state.electorate.number ? learning.unbound | only(index) : learning.unbound,
  };
  state.learning = learnt;
  if (rules.hasLearnt(state.electorate.quorums, learnt.remembering, nobody)) goOn(turn, learnt, []);
}

/** Where a quorum has forgotten, nothing makes up for it. Not said before all who are there have had time to answer: so that it is true of them too. */
function goOnWithoutMemory(turn: Turn, learning: Learning): boolean {
  const { rules, state } = turn;
  const { remembering, answered, met } = learning;
  const forgetful = (answered & ~remembering) | only(state.index);
  if (!rules.hasLearnt(state.electorate.quorums, remembering, forgetful)) return false;
  return goOn(
    turn,
    learning,
    met.filter((incarnation) => incarnation !== undefined),
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
