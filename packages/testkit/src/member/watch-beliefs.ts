import type { LeadershipSource } from '@leadership/core';
import { Belief } from './belief.ts';
import type { Journal } from './journal.ts';

/** How often a member asks itself whether it leads: about as short an overlap as two members can be caught in. Milliseconds. */
const periodMs = 2;

/** What a member believes, partition by partition, until disposed. */
export interface BeliefWatch extends Disposable {
  readonly beliefs: readonly Belief[];
}

/** Follows every partition of the source into the journal. */
export function watchBeliefs(source: LeadershipSource, write: Journal): BeliefWatch {
  const roles = Array.from({ length: source.partitions }, (_, partition) => source.role(partition));
  const beliefs = roles.map((role) => new Belief(role, write));
  const subscriptions = roles.map((role, index) => role.leadership$.subscribe((leadership) => beliefs[index]?.heard(leadership)));
  const timer = setInterval(() => {
    for (const belief of beliefs) belief.look();
  }, periodMs);
  return {
    beliefs,
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
