// Polls for a condition in the tests of an adapter.
import { awaitCondition } from '../conformance/await-condition.ts';

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
  return await awaitCondition(() => `${what}${reportMore()}`, ask, withinMs);
}
