import type { Membership } from '../contract/backend.ts';
import type { LeadershipSource } from '../contract/source.ts';

/** The key of what a source knows of leases and members. It is the same in every copy of this library. */
const key: unique symbol = Symbol.for('@leadership/core/observed-lease');

interface Observed extends Required<Pick<Membership, 'leaseMs' | 'isUnsure'>> {
  listsMembers(): boolean;
}

/** Lets pages for operators read the leases of other members. */
export function offerLeases(
  source: LeadershipSource,
  membership: Membership,
  members: { readonly areListed: boolean },
): void {
  const value: Observed = {
    leaseMs: (partition) => membership.leaseMs?.(partition),
    isUnsure: () => membership.isUnsure?.() === true,
    listsMembers: () => members.areListed,
  };
  Object.defineProperty(source, key, { value });
}

/**
 * Returns the milliseconds after which this source regards the lease of another leader as lapsed,
 * unless it reads a renewal. The leader itself stops earlier: it counts from the request of its
 * renewal, and this source from its arrival. `undefined` if the backend does not know.
 */
export function observedLeaseMs(source: LeadershipSource, partition: number): number | undefined {
  return isObserved(source) ? source[key].leaseMs(partition) : undefined;
}

/**
 * Returns whether this source reports members or leaders that may have been gone already when it started.
 * It knows after T at the latest.
 */
export function isUnsure(source: LeadershipSource): boolean {
  return isObserved(source) && source[key].isUnsure();
}

/** Returns whether this source lists the members of its group, though there may be none now. */
export function listsMembers(source: LeadershipSource): boolean {
  return isObserved(source) ? source[key].listsMembers() : source.members().length > 0;
}

function isObserved(
  source: LeadershipSource,
): source is LeadershipSource & { readonly [key]: Observed } {
  return key in source;
}
