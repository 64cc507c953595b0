// Leadership ends by the clock, writes end when they end: a member that was paused may write after its term. The token stops it.
import type { Role } from '@leadership/core';
import type { FencedStore } from './fenced-store.ts';

/** Writes `text` as the leader. `false` where this member does not lead; rejects where a later leader has written. */
export async function writeAsLeader(role: Role, store: FencedStore, text: string): Promise<boolean> {
  const written = role.ifLeading((term) => store.write(text, term.token));
  if (written === undefined) return false;
  await written;
  return true;
}
