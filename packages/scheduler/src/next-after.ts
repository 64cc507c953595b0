// Calculates the ticks of a cron pattern.
import type { Cron } from 'croner';

/** Returns the time of the first tick after that time, if the pattern has one. */
export function nextAfter(cron: Cron, after: number): number | undefined {
  return cron.nextRun(new Date(after))?.getTime();
}
