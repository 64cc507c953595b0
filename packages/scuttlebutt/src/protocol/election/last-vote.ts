// How a voter that closes in order lets its next process vote at once (S7).
//
// A voter that closes in order publishes its last vote (S7): everything that it has accepted, and
// the lives of some other voters, its witnesses. From then on it accepts and publishes nothing, also
// if its process goes on. A witness that meets the next life of that voter attests the last vote,
// unless it has met a life in between. Enough witnesses of one last vote share one with every other
// group of voters from which a life in between could have learnt, so no such life has voted.
// Rule numbers such as S7: docs/reference/rules.md.

import { type ElectionContext, type Peer, voteOf } from './context.ts';
import { type Attest, isSameLife, type Life, type Vote } from './declaration.ts';
import type { LastVote } from './state.ts';

/** Notes the last votes of other voters that name this life, and who came after them. */
export function noteLastVotes(context: ElectionContext): void {
  const { config, state, roster } = context;
  if (state.voterStates.length === 0) return;
  for (const voter of config.voters) {
    const peer = voter === config.member ? undefined : roster.get(voter);
    if (peer === undefined) continue;
    const before = state.lastVotes.find(({ member }) => member === voter);
    const now = lastVoteOf(context, peer, before);
    if (now === before) continue;
    const others = state.lastVotes.filter((one) => one !== before);
    state.lastVotes = now === undefined ? others : [...others, now];
  }
}

/** Returns the last vote of a voter, given the one that was noted before and its present life. */
function lastVoteOf(
  { rules, config, state }: ElectionContext,
  { member, generation, declaration }: Peer,
  before: LastVote | undefined,
): LastVote | undefined {
  const self: Life = { member: config.member, generation: state.generation };
  const vote = declaration?.vote;
  if (before?.generation === generation) return before;
  if (vote && rules.isWitness(vote.witnesses, self))
    return { member, generation, known: vote.known, next: undefined };
  if (before === undefined || before.next === generation) return before;
  return rules.follows(before.next) ? { ...before, next: generation } : undefined;
}

/** Returns what this voter attests: until the next life has learnt it, or is over. */
export function attestsOf({ state, roster }: ElectionContext): readonly Attest[] {
  const attests: Attest[] = [];
  for (const { member, generation: last, known, next } of state.lastVotes) {
    if (next === undefined || hasLearnt(roster.get(member)?.declaration?.vote)) continue;
    attests.push({ member, generation: next, last, known });
  }
  return attests;
}

/** A voter that has forgotten what it accepted publishes 0. */
function hasLearnt(vote: Vote | undefined): boolean {
  return vote !== undefined && vote.known > 0n;
}

/**
 * Returns the greatest claim that the earlier lives of this voter have accepted, if enough witnesses
 * of the last vote of the life before this one attest it.
 */
export function attestedKnown(context: ElectionContext): bigint | undefined {
  const { rules, config, state } = context;
  const self: Life = { member: config.member, generation: state.generation };
  const given = config.voters.flatMap((voter) => {
    const attests = voter === config.member ? [] : (voteOf(context, voter)?.attests ?? []);
    return attests.filter((one) => isSameLife(one, self));
  });
  const isEnough = ({ last }: Attest): boolean => {
    const count = given.filter((one) => one.last === last).length;
    return rules.areEnoughWitnesses(count, config.voters.length);
  };
  // Of several last votes, the latest one counts.
  const [latest] = given.filter(isEnough).sort((a, b) => b.last - a.last);
  return latest?.known;
}

/**
 * Ends the life of a voter in order. Returns whether it has a last vote to publish: it remembers, or
 * has voted for nobody and passes on what its witnesses attest.
 */
export function endVoting(context: ElectionContext): boolean {
  const { rules, state } = context;
  if (state.hasClosed) return false;
  const attested = state.memory.remembers ? undefined : attestedKnown(context);
  state.hasClosed = rules.endsWithLastVote;
  if (state.voterStates.length === 0) return false;
  if (!state.memory.remembers && attested === undefined) return false;
  if (attested !== undefined)
    state.voterStates = state.voterStates.map((one) => ({ ...one, accepted: attested }));
  state.witnesses = witnessesOf(context);
  return state.witnesses.length > 0;
}

/** Names the witnesses: living voters first. */
function witnessesOf({ rules, config, roster }: ElectionContext): readonly Life[] {
  const others = config.voters.flatMap((voter) => {
    const peer = voter === config.member ? undefined : roster.get(voter);
    return peer === undefined ? [] : [peer];
  });
  const ordered = [...others.filter((one) => one.isAlive), ...others.filter((one) => !one.isAlive)];
  return ordered
    .slice(0, rules.witnessesMax(config.voters.length))
    .map(({ member, generation }) => ({ member, generation }));
}
