// Polls for a condition in the tests of an adapter.
import { TimedOut } from '../conformance/failure.ts';

/** The polling period in milliseconds, short enough to observe brief states. */
const periodMs = 2;

/**
 * Polls and resolves with the first result other than `undefined` and `false`. After the time
 * limit, rejects with `what`.
 */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  {
    withinMs = 60_000,
    details: reportMore = () => '',
  }: {
    /** The time limit in milliseconds. Default: 60 000, which is generous for a starved machine. */
    readonly withinMs?: number;
    /** Returns the current state, which is appended to the message of a time-out. */
    readonly details?: () => string;
  } = {},
): Promise<T> {
  for (const until = performance.now() + withinMs; performance.now() < until; ) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, periodMs));
  }
  throw new TimedOut(`${what}${reportMore()}`, withinMs);
}
