import { LeadershipError } from '../contract/leadership-error.ts';

/** Creates the error of a member that reads what cannot follow from what it read or wrote before. */
export function contradiction(partition: number, rule: string): LeadershipError {
  return new LeadershipError(
    'assumption-broken',
    `partition ${partition}: the store contradicts earlier reads or writes (rule ${rule}): its data was lost, truncated or edited, or a clock exceeds driftRate`,
  );
}
