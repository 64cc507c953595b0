import type { Role } from '@leadership/core';
import { answeringStore } from './answering-store.ts';
import type { Tick } from './tick.ts';
import type { TickStore } from './tick-store.ts';

/** Options for {@link oncePerTick}. */
export interface OncePerTickOptions {
  /** The name of the schedule in the store. All members must use the same. */
  readonly name: string;
  /** Where claimed ticks are kept. All members must use the same store. */
  readonly store: TickStore;
  /** When the tick was due, as the pattern says: the same on all members. */
  readonly at: Date;
}

/**
 * Runs `job` for one tick of another scheduler, if this member leads `role` and no member has
 * claimed that tick or a later one. Returns `undefined` if it does not lead. Resolves with `undefined`
 * if the tick is claimed, or if the term has ended meanwhile: then the tick is lost. An orderly
 * hand-over waits for the job.
 *
 * Missed ticks are not caught up. `schedule` does that.
 */
export function oncePerTick<T>(
  role: Role,
  job: (tick: Tick) => T | PromiseLike<T>,
  { name, store, at }: OncePerTickOptions,
): Promise<T | undefined> | undefined {
  return role.ifLeading(async (term) => {
    const isClaimed = await answeringStore(store).claim(name, at.getTime(), term.token);
    return isClaimed && term.isCurrent()
      ? job({ at, isLate: false, term, signal: term.signal })
      : undefined;
  });
}
