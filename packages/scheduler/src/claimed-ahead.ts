// Warns of clocks that run ahead: a tick is one planned start of a job, claimed in a store before
// the job runs.
import type { Cron } from 'croner';
import type { WallClock } from './clock.ts';
import { nextAfter } from './next-after.ts';

/** How far the clocks of two hosts may differ without a warning. A minute is never a good clock. */
const aheadMsMax = 60_000;

/**
 * Returns a function that warns the process if a tick after the present one is claimed already, so
 * that no job runs until then: a clock was ahead when that tick was claimed, or this one is behind.
 * It warns once for each claimed time.
 */
export function claimedAheadWarner(
  name: string,
  cron: Cron,
  clock: WallClock,
): (claimed: number) => void {
  let warned: number | undefined;
  return (claimed) => {
    const now = clock.now();
    if (claimed - now <= aheadMsMax || warned === claimed) return;
    const first = nextAfter(cron, now);
    // The first leader claims the instant before its first tick, which may be far away.
    if (first === undefined || first > claimed) return;
    warned = claimed;
    process.emitWarning(
      `schedule "${name}": ticks until ${new Date(claimed).toISOString()} are claimed, ${Math.round((claimed - now) / 1000)} s ahead of the clock of this process, so no job runs until then: correct the clocks of the hosts; if they are correct, delete the claim of this schedule from the store`,
      { type: 'LeadershipWarning', code: 'LEADERSHIP_CLAIMED_AHEAD' },
    );
  };
}
