// How a voter that has restarted learns enough to vote again.
//
// A voter that starts has forgotten which claims it accepted (T1). After its silence it asks the
// other voters, and votes once those that remember share a voter with every majority. Their answers
// are then created after every term that its earlier life helped to begin. If a majority has
// forgotten, all at one moment, no answer can help: the voter then regards every token up to its
// wall clock as accepted, so that no candidate begins a term with a claim that it made earlier, and
// everything that living members know.
// A voter whose earlier life closed in order need not ask: witnesses of its last vote attest what that
// life had accepted (S7). It regards every token up to its wall clock as accepted as well, because a
// life in between may have voted if a majority had forgotten at one moment.
// Rule numbers such as T1: docs/reference/rules.md.

import { type ElectionContext, voteOf } from './context.ts';
import { type Answer, isSameLife, type Life } from './declaration.ts';
import { attestedKnown } from './last-vote.ts';
import { greatest } from './rules.ts';
import type { ElectionState } from './state.ts';

/** Whether this voter may declare a favorite. */
export function mayVote(state: ElectionState, clock: number): boolean {
  return state.isAdmitted && clock >= state.mutedUntil && state.memory.remembers;
}

/** Asks for the greatest tokens when it is time, and notes what the answers show. */
export function learn(context: ElectionContext): void {
  const { rules, state, clock } = context;
  const { memory } = state;
  if (state.voterStates.length === 0 || memory.remembers) return;
  if (!state.isAdmitted || !rules.mayAsk(clock, state.mutedUntil)) return;
  const attested = attestedKnown(context);
  if (attested !== undefined) {
    return finishLearning(context, assumedKnown(context, attested), []);
  }
  if (memory.query === 0) return startQuery(context);
  const answers = answersTo(context);
  if (hasLearnt(context, answers)) return;
  const isNew = answers.some(
    ({ voter, answer }) => !answer.remembers && !includes(memory.knownAtQuery, voter),
  );
  if (isNew) startQuery(context);
}

interface Answered {
  readonly voter: Life;
  readonly answer: Answer;
}

function startQuery(context: ElectionContext): void {
  const { state, clock } = context;
  const knownAtQuery = otherVoters(context);
  state.memory = { ...state.memory, query: state.memory.query + 1, queriedAt: clock, knownAtQuery };
  context.hasChanged = true;
}

/** The lives of the other voters that have declared anything. */
function otherVoters(context: ElectionContext): readonly Life[] {
  const { config, roster } = context;
  return config.voters.flatMap((voter) => {
    const peer = voter === config.member ? undefined : roster.get(voter);
    if (peer?.declaration?.vote === undefined) return [];
    return [{ member: voter, generation: peer.generation }];
  });
}

/** The answers to any query of this life. */
function answersTo(context: ElectionContext): readonly Answered[] {
  const { config, state } = context;
  const self: Life = { member: config.member, generation: state.generation };
  return otherVoters(context).flatMap((voter) => {
    const answers = voteOf(context, voter.member)?.answers ?? [];
    const answer = answers.find((one) => one.ask > 0 && isSameLife(one, self));
    return answer ? [{ voter, answer }] : [];
  });
}

/**
 * Whether an answer helps a voter whose latest query has this number. A voter that remembers answers
 * for all queries of a life; the others must know the lives that the latest one named.
 */
export function helpsToLearn({ ask, remembers }: Answer, query: number): boolean {
  return ask > 0 && (remembers || ask === query);
}

function hasLearnt(context: ElectionContext, answers: readonly Answered[]): boolean {
  const { rules, config, state } = context;
  const remembering = answers.filter(({ answer }) => answer.remembers).length;
  if (rules.meetsEveryMajority(remembering, config.voters.length)) {
    finishLearning(context, knownToOthers(context), []);
    return true;
  }
  const { query: latest, knownAtQuery } = state.memory;
  const forgetful = answers.filter(
    ({ voter, answer }) =>
      !answer.remembers && helpsToLearn(answer, latest) && includes(knownAtQuery, voter),
  );
  if (!rules.isMajority(forgetful.length + 1, config.voters.length)) return false;
  if (!mayFinishWithoutMemory(context, answers.length)) return false;
  finishLearning(context, assumedKnown(context, 0n), knownAtQuery);
  return true;
}

/** A member that remembers may be slow: all others have answered, or have had the time to. */
function mayFinishWithoutMemory(
  { config, state, clock }: ElectionContext,
  answered: number,
): boolean {
  return (
    answered === config.voters.length - 1 || clock >= answersDueAt(config, state.memory.queriedAt)
  );
}

/** As for Nerio (decision 0056): half of the threshold. */
export function answersDueAt(config: { readonly thresholdMs: number }, queriedAt: number): number {
  return queriedAt + config.thresholdMs / 2;
}

/** The greatest claim that another voter has accepted, as far as this one has received. */
function knownToOthers(context: ElectionContext): bigint {
  return greatest(
    ...otherVoters(context).map(({ member }) => voteOf(context, member)?.known ?? 0n),
  );
}

/**
 * What a voter regards as accepted if a majority may have forgotten: every token up to its wall clock,
 * and what other members know. A claim is greater than every token that its owner has met, whatever
 * the wall clocks show.
 */
function assumedKnown(context: ElectionContext, attested: bigint): bigint {
  const { rules, state, roster, wallMicros } = context;
  const claims = rules.countsTheLiving
    ? Array.from(roster.candidates(), ({ declaration }) => declaration?.candidacy?.claim ?? 0n)
    : [];
  const known = greatest(attested, knownToOthers(context), state.claim, ...claims);
  return rules.assumedKnown(known, wallMicros);
}

function finishLearning(
  context: ElectionContext,
  accepted: bigint,
  alsoForgot: readonly Life[],
): void {
  const { state } = context;
  state.voterStates = state.voterStates.map((one) => ({
    ...one,
    accepted,
    acceptedFrom: undefined,
  }));
  state.memory = { ...state.memory, remembers: true, query: 0, knownAtQuery: [], alsoForgot };
  context.hasChanged = true;
}

/** Returns the answers to the queries of the other voters. Every review asks for them. */
export function answersOf({ config, state, roster }: ElectionContext): readonly Answer[] {
  const answers: Answer[] = [];
  for (const member of config.voters) {
    const peer = member === config.member ? undefined : roster.get(member);
    const ask = peer?.declaration?.vote?.ask ?? 0;
    if (peer === undefined || ask === 0) continue;
    const voter: Life = { member, generation: peer.generation };
    const remembers = state.memory.remembers && !includes(state.memory.alsoForgot, voter);
    answers.push({ ...voter, ask, remembers });
  }
  return answers;
}

/** Whether a query has arrived that the published vote does not answer. */
export function hasUnansweredQuery(context: ElectionContext): boolean {
  const given = context.state.declaration.vote?.answers ?? [];
  return answersOf(context).some(
    (answer) =>
      !given.some(
        (one) =>
          one.ask === answer.ask && one.remembers === answer.remembers && isSameLife(one, answer),
      ),
  );
}

function includes(lives: readonly Life[], life: Life): boolean {
  return lives.some((one) => isSameLife(one, life));
}
