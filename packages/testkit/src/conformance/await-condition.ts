// How checks wait for a condition.
import { TimedOut } from './failure.ts';

/**
 * The polling period in milliseconds: long enough to leave the loop to the members, short enough to
 * see brief states.
 */
const periodMs = 2;

/**
 * The longest pause after a question that others answer: a server, a browser, a process. Milliseconds.
 */
const longestPauseMs = 100;

/** A condition to poll. It returns `undefined` or `false` until it holds. */
export type Condition<T> = () => T | undefined | false | Promise<T | undefined | false>;

/**
 * Polls `ask` and resolves with its first result. Rejects after `withinMs` with a message that
 * contains `what()`, and only after another look: this process may have stood still meanwhile.
 */
export async function awaitCondition<T>(
  what: () => string,
  ask: Condition<T>,
  withinMs: number,
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const askedAt = performance.now();
    const asked = ask();
    const answer = await asked;
    if (answer !== undefined && answer !== false) return answer;
    const now = performance.now();
    if (now >= until) throw new TimedOut(what(), withinMs);
    const pauseMs = asked instanceof Promise ? restMs(now - askedAt) : periodMs;
    await pause(pauseMs);
  }
}

/**
 * Pauses for a time, and until the event loop has had a turn: after a question that takes longer than the
 * pause, its timers alone would run, and no message of a process or a socket would arrive.
 */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), ms));
}

/**
 * Returns how long to pause after an answer that took `tookMs`: four times as long, so that waiting uses
 * at most a fifth of what answers. Asked again at once, a server or a process would work for nothing else.
 */
function restMs(tookMs: number): number {
  return Math.min(longestPauseMs, Math.max(periodMs, 4 * tookMs));
}

/** Polls `complaint` for `durationMs` and rejects with the first complaint or thrown error. */
export async function watchFor(
  durationMs: number,
  complaint: () => string | undefined,
): Promise<void> {
  for (const until = performance.now() + durationMs; performance.now() < until; ) {
    const found = complaint();
    if (found !== undefined) throw new Error(found);
    await pause(periodMs);
  }
}

/** Settles like `promise`, or rejects after `withinMs` with a message that contains `what()`. */
export async function inTime<T>(
  what: () => string,
  promise: Promise<T>,
  withinMs: number,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(what(), withinMs)), withinMs);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
