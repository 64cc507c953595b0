import { senderOf } from './message.ts';
import { noSample } from './sample.ts';
import type { Grant, MemberState } from './state.ts';

/** What a voter may keep on disk to grant on right after a restart (N4). Written before a grant is answered, or not relied on. */
export interface Memory {
  readonly epoch: number;
  readonly grants: readonly KeptGrant[];
}

/** What of a grant another life can make use of: no instant that only the clock of the process shows. */
export interface KeptGrant extends Pick<Grant, 'holder' | 'until' | 'start' | 'released' | 'token' | 'tokenBy'> {
  /** How much of it was left, in milliseconds by the voter's clock: what `until` says where that clock has ended with the process. */
  readonly leftMs: number;
}

/** What is worth keeping at `now`, on the clock that leases are measured by; `undefined` from a voter that does not know itself what it granted. */
export function memoryOf({ grants, electorate, learning, mutedUntil }: MemberState, now: number): Memory | undefined {
  if (learning !== undefined || now < mutedUntil) return undefined;
  return { epoch: electorate.number, grants: grants.map((grant) => kept(grant, now)) };
}

/** Requests that wait, and what leaders said of themselves, are not worth it: both are said again soon. */
function kept({ holder, until, start, released, token, tokenBy }: Grant, now: number): KeptGrant {
  const leftMs = Math.max(0, until - now);
  return { holder: holder && senderOf(holder), until, start: holder ? start : noSample, released, token, tokenBy, leftMs };
}

/** Whether a voter has bound itself to more than before, or to less: what a later life would have to know. */
export function isWorthKeeping(before: MemberState, after: MemberState): boolean {
  return before.grants !== after.grants && after.grants.some((grant, partition) => differs(before.grants[partition], grant));
}

function differs(before: Grant | undefined, after: Grant): boolean {
  if (before === undefined) return true;
  return (
    before.until !== after.until || before.holder !== after.holder || before.released !== after.released || before.token !== after.token
  );
}
