import type { LeadershipSource } from '../../src/contract/source.ts';
import type { ManualClock } from './manual-clock.ts';

/** The time that the store has at most, T/3 in all tests with a clock. Milliseconds. */
const releaseMsMax = 1000;

/** Closes a source without waiting for its work, and gives its store the time of one request. */
export async function closeNow({
  source,
  clock,
}: {
  readonly source: LeadershipSource;
  readonly clock: ManualClock;
}): Promise<void> {
  const closed = source.close({ signal: AbortSignal.abort() });
  // A caller may expect a rejection, which may come while the clock advances.
  closed.catch(() => undefined);
  await clock.pass(releaseMsMax);
  await closed;
}
