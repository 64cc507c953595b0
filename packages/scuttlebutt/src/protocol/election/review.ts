// Runs the election part of a step of a member: everything that is due now, in the order in which
// the parts depend on each other.

import type { ElectionContext } from './context.ts';
import { findLeaders } from './following.ts';
import { endVoting, noteLastVotes } from './last-vote.ts';
import { candidacyOf, reviewTerms } from './leading.ts';
import { answersDueAt, hasUnansweredQuery, learn } from './learning.ts';
import { publishVote, reviewFavorites } from './voting.ts';

/**
 * A declaration may change what the next one says: an own vote elects this member, which then
 * declares that it leads, and every further round is at most one more partition's change.
 */
const declarationsMax = 4;

/**
 * Reviews votes, terms and leaders. Publishes a new declaration if something changed, or if
 * `isDue`: then a voter's bounds are renewed.
 */
export function review(context: ElectionContext, isDue: boolean): void {
  if (context.state.hasClosed) return findLeaders(context);
  noteLastVotes(context);
  learn(context);
  findLeaders(context);
  reviewFavorites(context);
  reviewTerms(context);
  if (!isDue && !context.hasChanged && !hasUnansweredQuery(context)) return;
  for (let round = 0; round < declarationsMax; round += 1) {
    const isNew = context.hasChanged;
    context.hasChanged = false;
    publish(context);
    findLeaders(context);
    reviewFavorites(context);
    reviewTerms(context);
    if (!context.hasChanged) {
      context.hasChanged = isNew || round > 0;
      return;
    }
  }
}

/** Ends this life in order: a voter publishes its last vote (S7). */
export function endInOrder(context: ElectionContext): void {
  if (!endVoting(context)) return;
  publish(context);
  context.hasChanged = true;
}

function publish(context: ElectionContext): void {
  const { state } = context;
  const vote = publishVote(context);
  const candidacy = candidacyOf(context);
  if (vote === undefined && candidacy === undefined) return;
  state.declaration = { vote, candidacy };
  state.sequence += 1;
}

/**
 * Returns the next time at which something is due without any input, on the own clock. Every step
 * asks for it, so it allocates nothing.
 */
export function dueAt({ config, state, clock }: ElectionContext): number {
  let first = Number.POSITIVE_INFINITY;
  const note = (at: number | undefined): void => {
    if (at !== undefined && at > clock && at < first) first = at;
  };
  for (const { withdrawn, notLeadingSince } of state.voterStates) {
    note(withdrawn?.freeAt);
    if (notLeadingSince !== undefined) note(notLeadingSince + config.thresholdMs);
  }
  for (const { term, lapseUntil } of state.candidateStates) {
    note(term?.until);
    note(lapseUntil);
  }
  for (const { until } of state.skippedFavorites) note(until);
  note(state.mutedUntil);
  if (state.memory.query > 0) note(answersDueAt(config, state.memory.queriedAt));
  return first;
}
