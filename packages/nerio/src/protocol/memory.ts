import { senderOf } from './message.ts';
import { noSample } from './sample.ts';
import type { Grant, MemberState } from './state.ts';

/** What a voter may keep on disk to grant on right after a restart (N4). Written before a grant is answered, or not relied on. */
export interface Memory {
  readonly epoch: number;
  readonly grants: readonly KeptGrant[];
}

/** A grant, and how much of it was left. Milliseconds by the voter's clock. */
export interface KeptGrant extends Grant {
  readonly leftMs: number;
}

/** What is worth keeping at `now`, on the clock that leases are measured by; `undefined` from a voter that does not know itself what it granted. */
export function memoryOf({ grants, electorate, learning, mutedUntil }: MemberState, now: number): Memory | undefined {
  if (learning !== undefined || now < mutedUntil) return undefined;
  return { epoch: electorate.number, grants: grants.map((grant) => kept(grant, now)) };
}

/** Requests that wait, and what leaders said of themselves, are not worth it: both are said again soon. */
function kept(grant: Grant, now: number): KeptGrant {
  const holder = grant.holder && senderOf(grant.holder);
  const leftMs = Math.max(0, grant.until - now);
  const start = holder ? grant.start : noSample;
  return { ...grant, holder, start, queue: [], leader: undefined, leaderUntil: Number.NEGATIVE_INFINITY, leftMs };
}
