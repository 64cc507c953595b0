// The turns of the event loop. These functions use the imported one, not the global one, which the
// fake timers of a test replace: a member would read only when the test advances its timers.
import { setImmediate } from 'node:timers';
import type { Clock } from '../time/clock.ts';
import { after, type Instant } from '../time/instant.ts';

/** How long the members of a process decide in one turn. Milliseconds. */
const turnMs = 8;

/** When that time is over in this turn, by clock. */
const ends = new WeakMap<Clock, Instant>();

/** Resolves in the next turn of the event loop, after its timers and IO. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Calls `run` in this turn of the event loop; in a later one if other calls have used up the time of
 * this one. Many members of one process that have to decide at once would block the loop otherwise.
 */
export function inTurn(clock: Clock, run: () => void): void {
  const now = clock.now();
  const end = ends.get(clock);
  if (end !== undefined && now >= end) return void setImmediate(() => inTurn(clock, run));
  if (end === undefined) {
    ends.set(clock, after(now, turnMs));
    setImmediate(() => ends.delete(clock));
  }
  run();
}
