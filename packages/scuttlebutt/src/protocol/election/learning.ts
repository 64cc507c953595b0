// A voter that starts has forgotten which claims it accepted (T1). After its silence it asks the
// other voters, and votes once those that remember share a voter with every majority. Their answers
// are then created after every term that its earlier life helped to begin. If a majority has
// forgotten, all at one moment, no answer can help: the voter then regards every token up to its
// wall clock as accepted, so that no candidate begins a term with a claim that it made earlier.
// Rule numbers such as T1: docs/reference/rules.md.

import { type ElectionContext, voteOf } from './context.ts';
import { type Answer, isSameLife, type Life } from './declaration.ts';
import { greatest } from './rules.ts';

/** Whether this voter may declare a favorite. */
export function mayVote({ state, clock }: ElectionContext): boolean {
  return state.isAdmitted && clock >= state.mutedUntil && state.memory.remembers;
}

/** Asks for the greatest tokens when it is time, and notes what the answers show. */
export function learn(context: ElectionContext): void {
  const { rules, state, clock } = context;
  const { memory } = state;
  if (state.ballots.length === 0 || memory.remembers) return;
  if (!state.isAdmitted || !rules.mayAsk(clock, state.mutedUntil)) return;
  if (memory.ask === 0) return ask(context);
  const answers = answersTo(context);
  if (hasLearnt(context, answers)) return;
  const isNew = answers.some(
    ({ voter, answer }) => !answer.remembers && !includes(memory.met, voter),
  );
  if (isNew) ask(context);
}

interface Answered {
  readonly voter: Life;
  readonly answer: Answer;
}

function ask(context: ElectionContext): void {
  const { state, clock } = context;
  const met = otherVoters(context);
  state.memory = { ...state.memory, ask: state.memory.ask + 1, askedAt: clock, met };
  context.isNews = true;
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

function hasLearnt(context: ElectionContext, answers: readonly Answered[]): boolean {
  const { rules, config, state } = context;
  const remembering = answers.filter(({ answer }) => answer.remembers).length;
  if (rules.meetsEveryMajority(remembering, config.voters.length)) {
    goOn(context, knownToOthers(context), []);
    return true;
  }
  const { ask: latest, met } = state.memory;
  const forgetful = answers.filter(
    ({ voter, answer }) => !answer.remembers && answer.ask === latest && includes(met, voter),
  );
  if (!rules.isMajority(forgetful.length + 1, config.voters.length)) return false;
  if (!mayGoOnWithoutMemory(context, answers.length)) return false;
  goOn(context, rules.assumedKnown(knownToOthers(context), context.wallMicros), met);
  return true;
}

/** A member that remembers may be slow: all others have answered, or have had the time to. */
function mayGoOnWithoutMemory(
  { config, state, clock }: ElectionContext,
  answered: number,
): boolean {
  return (
    answered === config.voters.length - 1 || clock >= patienceUntil(config, state.memory.askedAt)
  );
}

/** As for Nerio (decision 0056): half of the threshold. */
export function patienceUntil(config: { readonly thresholdMs: number }, askedAt: number): number {
  return askedAt + config.thresholdMs / 2;
}

/** The greatest claim that another voter has accepted, as far as this one has received. */
function knownToOthers(context: ElectionContext): bigint {
  return greatest(
    ...otherVoters(context).map(({ member }) => voteOf(context, member)?.known ?? 0n),
  );
}

function goOn(context: ElectionContext, known: bigint, forgotWith: readonly Life[]): void {
  const { state } = context;
  state.ballots = state.ballots.map((one) => ({ ...one, known, knownOf: undefined }));
  state.memory = { ...state.memory, remembers: true, ask: 0, met: [], forgotWith };
  context.isNews = true;
}

/** Returns the answers to the queries of the other voters. Every review asks for them. */
export function answersOf({ config, state, roster }: ElectionContext): readonly Answer[] {
  const answers: Answer[] = [];
  for (const member of config.voters) {
    const peer = member === config.member ? undefined : roster.get(member);
    const ask = peer?.declaration?.vote?.ask ?? 0;
    if (peer === undefined || ask === 0) continue;
    const voter: Life = { member, generation: peer.generation };
    const remembers = state.memory.remembers && !includes(state.memory.forgotWith, voter);
    answers.push({ ...voter, ask, remembers });
  }
  return answers;
}

/** Whether a query has arrived that the published vote does not answer. */
export function owesAnswer(context: ElectionContext): boolean {
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
