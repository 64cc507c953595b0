// The turns of the event loop. These functions use what they import, and the clock as it was when they
// were loaded, not the global ones, which the fake timers of a test replace: a member would read only
// when the test advances its timers.
import { setImmediate } from 'node:timers';
import type { Clock } from '../time/clock.ts';

/** How long the members of a process decide in one turn. Milliseconds. */
const turnMs = 8;

const realNow = performance.now.bind(performance);

/** When that time is over in this turn, if a member has decided in it. */
let end: number | undefined;

/** The calls that wait for a later turn, in order. */
const waiting: (() => void)[] = [];

/** A clock that may have turns of its own. */
type Turns = Pick<Clock, 'turn'>;

/** Resolves in the next turn of the event loop, after its timers and IO. */
export function nextTurn(clock?: Turns): Promise<void> {
  return new Promise((resolve) => {
    if (clock?.turn) clock.turn(resolve);
    else setImmediate(resolve);
  });
}

/**
 * Calls `run` in this turn of the event loop; in a later one if other calls have used up the time of
 * this one, or wait already. Many members of one process that have to decide at once would block the
 * loop otherwise, and those that always have something to do would starve the others. A clock with
 * turns of its own says when.
 */
export function inTurn(run: () => void, clock?: Turns): void {
  if (clock?.turn) return clock.turn(run);
  const endOfTurn = end ?? begin();
  if (waiting.length > 0 || realNow() >= endOfTurn) waiting.push(run);
  else run();
}

/** Resolves in a later turn, in which other calls have left some time. */
export async function laterTurn(clock?: Turns): Promise<void> {
  await nextTurn(clock);
  await new Promise<void>((resolve) => inTurn(resolve, clock));
}

function begin(): number {
  end = realNow() + turnMs;
  // Before what it follows: the rest has its turn also if a call throws.
  setImmediate(goOn);
  return end;
}

function goOn(): void {
  end = undefined;
  if (waiting.length === 0) return;
  const endOfTurn = begin();
  // At least one in each turn, however long the machine pauses this process.
  do waiting.shift()?.();
  while (waiting.length > 0 && realNow() < endOfTurn);
}
