import type { Health } from '../contract/health.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/** Creates the error of an observer that finds no pin: the group may be misspelt, or not begun. */
export function unknownGroup(group: string): LeadershipError {
  return new LeadershipError(
    'unknown-group',
    `no member has ever opened group "${group}" here: correct the name of the group or the address of the store, or start a member`,
  );
}

/**
 * Returns whether an observer with this health knows that no member has ever opened its group. Then
 * the number of partitions is unknown too: that of the source is only the one of its options.
 */
export function isUnknownGroup({ troubles }: Health): boolean {
  return troubles.some(({ code }) => code === 'unknown-group');
}
