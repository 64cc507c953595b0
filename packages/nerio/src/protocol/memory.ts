// The votes that a voter keeps on disk.
import type { Grant } from './lease.ts';
import { senderOf } from './message.ts';
import { noSample } from './sample.ts';
import type { MemberState } from './state.ts';

/**
 * The grants that a voter may keep on disk, so that it can grant right after a restart (N4). Stored
 * before a grant is answered, or not used.
 */
export interface Memory {
  readonly epoch: number;
  readonly grants: readonly KeptGrant[];
}

/**
 * The part of a grant that is valid in another incarnation: no instant of a clock that ends with
 * the process.
 */
export interface KeptGrant
  extends Pick<Grant, 'holder' | 'until' | 'start' | 'released' | 'token' | 'tokenBy'> {
  /**
   * The remaining time of the grant, in milliseconds by the voter's clock. It replaces `until` if
   * that clock has ended with the process.
   */
  readonly leftMs: number;
}

/**
 * Returns what to store at `now`, on the lease clock; `undefined` from a voter that does not know
 * its own grants.
 */
export function memoryOf(
  { grants, electorate, learning, mutedUntil }: MemberState,
  now: number,
): Memory | undefined {
  if (learning !== undefined || now < mutedUntil) return undefined;
  return { epoch: electorate.number, grants: grants.map((grant) => kept(grant, now)) };
}

/** Drops waiting requests and leaders' announcements, because members soon repeat both. */
function kept({ holder, until, start, released, token, tokenBy }: Grant, now: number): KeptGrant {
  const leftMs = Math.max(0, until - now);
  return {
    holder: holder && senderOf(holder),
    until,
    start: holder ? start : noSample,
    released,
    token,
    tokenBy,
    leftMs,
  };
}

/**
 * Whether the grants have changed in a way that a later incarnation must know. That is so too when
 * the voter has just learnt them, even if it has granted nothing yet: an incarnation that found no
 * grants on disk would have to learn them again, from members that may be away by then.
 */
export function isWorthKeeping(before: MemberState, after: MemberState): boolean {
  if (before.learning !== undefined && after.learning === undefined) return true;
  return (
    before.grants !== after.grants &&
    after.grants.some((grant, partition) => differs(before.grants[partition], grant))
  );
}

function differs(before: Grant | undefined, after: Grant): boolean {
  if (before === undefined) return true;
  return (
    before.until !== after.until ||
    before.holder !== after.holder ||
    before.released !== after.released ||
    before.token !== after.token
  );
}
