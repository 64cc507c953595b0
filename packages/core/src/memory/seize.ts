import { holderOf } from '../ledger/record.ts';
import type { MemoryStore } from './store.ts';

/**
 * Takes the lease from its holder, as another member's record in effect would (L8), and releases
 * it. Returns whether it did.
 */
export function seize(store: MemoryStore, partition: number, incarnation: string): boolean {
  const current = store.current(partition);
  if (current === null || holderOf(current)?.incarnation !== incarnation) return false;
  const { to: _to, metadata: _metadata, ...held } = current;
  const stranger = { member: 'operator', incarnation: 'operator', id: `operator/${held.id}` };
  return store.compareAndSet({
    ...held,
    ...stranger,
    after: held.id,
    height: held.height + 1,
    kind: 'release',
    token: held.token + 1n,
  });
}
