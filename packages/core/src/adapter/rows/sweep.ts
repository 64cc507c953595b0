// Removes the rows of members that crashed.
import type { MemberRow, MemberRows } from './member-rows.ts';

/** The number of stale rows that one sweep removes. Later reads return the others again. */
const sweptAtOnce = 25;

/**
 * Creates a function that removes rows that members left behind, in the background, so that events
 * does not wait for it, and only where this member is a candidate. Ignores failures: other members
 * will retry.
 */
export function sweeper({
  sweeps,
  remove,
}: Pick<MemberRows, 'sweeps' | 'remove'>): (gone: readonly MemberRow[]) => void {
  let isUnderWay = false;
  const sweep = async (gone: readonly MemberRow[]): Promise<void> => {
    isUnderWay = true;
    await Promise.allSettled(gone.map(remove));
    isUnderWay = false;
  };
  return (gone) => {
    if (!isUnderWay && gone.length > 0 && sweeps()) void sweep(gone.slice(0, sweptAtOnce));
  };
}
