// One review of the election: everything that is due now, in the order in which the parts depend on
// each other.

import type { ElectionContext } from './context.ts';
import { follow } from './following.ts';
import { candidacyOf, reviewSeats } from './leading.ts';
import { learn, owesAnswer, patienceUntil } from './learning.ts';
import { publishVote, reviewBallots } from './voting.ts';

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
  learn(context);
  follow(context);
  reviewBallots(context);
  reviewSeats(context);
  if (!isDue && !context.isNews && !owesAnswer(context)) return;
  for (let round = 0; round < declarationsMax; round += 1) {
    const isNews = context.isNews;
    context.isNews = false;
    publish(context);
    follow(context);
    reviewBallots(context);
    reviewSeats(context);
    if (!context.isNews) {
      context.isNews = isNews || round > 0;
      return;
    }
  }
}

function publish(context: ElectionContext): void {
  const { state } = context;
  const vote = publishVote(context);
  const candidacy = candidacyOf(context);
  if (vote === undefined && candidacy === undefined) return;
  state.declaration = { vote, candidacy };
  state.sequence += 1;
}

/** Returns the next time at which something is due without any input, on the own clock. */
export function dueAt({ config, state, clock }: ElectionContext): number {
  const times = [
    ...state.ballots.flatMap(({ stopped, unledSince }) => [
      stopped?.freeAt ?? clock,
      (unledSince ?? -config.thresholdMs) + config.thresholdMs,
    ]),
    ...state.seats.flatMap(({ term, lapseUntil }) => [term?.until ?? clock, lapseUntil]),
    ...state.passedOver.map(({ until }) => until),
    state.mutedUntil,
    state.memory.ask > 0 ? patienceUntil(config, state.memory.askedAt) : clock,
  ];
  return times.reduce((first, at) => (at > clock && at < first ? at : first), never);
}

const never = Number.POSITIVE_INFINITY;
