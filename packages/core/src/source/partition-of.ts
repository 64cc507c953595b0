import { LeadershipError } from '../contract/leadership-error.ts';
import { murmur2 } from './murmur2.ts';

/**
 * Returns the partition of a role (R1). Defined for every valid role and every M ≥ 1.
 *
 * @throws LeadershipError `invalid-options` if the role is empty, or a number that is not whole and from 0
 * up
 */
export function partitionOf(role: string | number, partitions: number): number {
  if (role === '')
    throw new LeadershipError(
      'invalid-options',
      'role "" is empty, as a variable that is not set: name the role, or give it a number',
    );
  if (typeof role === 'string') return murmur2(role) % partitions;
  if (Number.isSafeInteger(role) && role >= 0) return role % partitions;
  throw new LeadershipError(
    'invalid-options',
    `role ${String(role)}: a numeric role must be a whole number from 0 up; name it as a string otherwise`,
  );
}
