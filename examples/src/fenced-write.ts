// A term ends at a fixed time, but a write that has started may take longer: a member that was
// paused may write after its term. The store rejects such a write because of its token.
import type { Role } from '@leadership/core';
import type { FencedStore } from './fenced-store.ts';

/**
 * Writes `text` as the leader. Returns `false` if this member does not lead. Rejects if a later
 * leader has written.
 */
export async function writeAsLeader(
  role: Role,
  store: FencedStore,
  text: string,
): Promise<boolean> {
  const written = role.ifLeading((term) => store.write(text, term.token));
  if (written === undefined) return false;
  await written;
  return true;
}
