// Logs in a member process which partitions it leads, for tests with processes.
import type { LeadershipSource } from '@leadership/core';
import { Belief } from './belief.ts';
import type { Journal } from './journal.ts';

/** The polling period in milliseconds. Shorter overlaps of two members may remain undetected. */
const periodMs = 2;

/** Logs the leadership of all partitions until disposed. */
export interface BeliefWatch extends Disposable {
  readonly beliefs: readonly Belief[];
}

/**
 * Logs the leadership of every partition of the source to the journal. Without `polls`, it logs only
 * what the source emits.
 */
export function watchBeliefs(
  source: LeadershipSource,
  write: Journal,
  { polls }: { readonly polls: boolean },
): BeliefWatch {
  const roles = Array.from({ length: source.partitions }, (_, partition) => source.role(partition));
  const beliefs = roles.map((role) => new Belief(role, write));
  const subscriptions = roles.map((role, index) =>
    role.leadership$.subscribe((leadership) => beliefs[index]?.received(leadership)),
  );
  const look = (): void => {
    for (const belief of beliefs) belief.look();
  };
  const timer = polls ? setInterval(look, periodMs) : undefined;
  return {
    beliefs,
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
