// What a voter that lost its memory has to learn before it grants again (N16): the greatest token that was ever granted, from members
// that share a voter with every quorum. It asks when its silence (N4) is over: before that, what it granted in its former life may
// still be answered, and the term that comes of it be known to nobody it has asked.
import { only } from './members.ts';
import type { Learn, Learned, Sender } from './message.ts';
import { changeGrant, isVoter, reply, send, type Turn } from './turn.ts';

/** Asks the other voters when it is time; says when it will be time again. */
export function learn(turn: Turn): number {
  const { state, now } = turn;
  const { learning } = state;
  if (learning === undefined || !isVoter(state)) return Number.POSITIVE_INFINITY;
  const dueAt = Math.max(learning.askAt, state.mutedUntil);
  if (now < dueAt) return dueAt;
  const beat = learning.beat + 1;
  state.learning = { answered: 0, remembering: 0, askAt: now + state.self.pingMs, beat, epochMax: state.electorate.number };
  send(turn, othersOf(turn), { kind: 'learn', beat });
  settle(turn);
  return state.learning === undefined ? Number.POSITIVE_INFINITY : state.learning.askAt;
}

function othersOf({ state }: Turn): number {
  return state.electorate.voters & ~only(state.index);
}

/** Someone wants to know which tokens were granted. */
export function hearLearn(turn: Turn, from: Sender, { beat }: Learn): void {
  const { state } = turn;
  if (!isVoter(state)) return;
  const tokens = state.grants.map(({ token }) => token);
  const epochMax = state.electorate.number + (state.wedge?.accepted === undefined ? 0 : 1);
  reply(turn, from, { kind: 'learned', beat, tokens, remembers: state.learning === undefined, epochMax });
}

/** Someone says which tokens it granted. */
export function hearLearned(turn: Turn, index: number, { beat, tokens, remembers, epochMax: heard }: Learned): void {
  const { learning } = turn.state;
  if (learning === undefined || beat !== learning.beat) return;
  tokens.forEach((token, partition) => {
    if (partition >= turn.state.grants.length || token <= (turn.state.grants[partition]?.token ?? 0n)) return;
    const grant = changeGrant(turn, partition);
    grant.token = token;
    grant.tokenBy = undefined;
  });
  const answered = learning.answered | only(index);
  const remembering = remembers ? learning.remembering | only(index) : learning.remembering;
  const epochMax = Math.max(learning.epochMax, heard);
  turn.state.learning = { answered, remembering, askAt: learning.askAt, beat, epochMax };
  settle(turn);
}

function settle(turn: Turn): void {
  const { rules, state } = turn;
  if (state.learning === undefined) return;
  const { remembering, answered, epochMax } = state.learning;
  const forgetful = (answered & ~remembering) | only(state.index);
  if (!rules.hasLearnt(state.electorate.quorums, remembering, forgetful)) return;
  if (state.barredThrough === Number.POSITIVE_INFINITY) state.barredThrough = epochMax;
  state.learning = undefined;
}
