import { holderOf } from '../ledger/record.ts';
import type { MemoryStore } from './store.ts';

/** Takes the lease away from its holder, as a stranger's record in effect does (L8), and leaves it to anyone. Says whether it did. */
export function seize(store: MemoryStore, partition: number, incarnation: string): boolean {
  const current = store.current(partition);
  if (current === null || holderOf(current)?.incarnation !== incarnation) return false;
  const { to: _to, metadata: _metadata, ...held } = current;
  const stranger = { member: 'operator', incarnation: 'operator', id: `operator/${held.id}` };
  return store.compareAndSet({ ...held, ...stranger, after: held.id, height: held.height + 1, kind: 'release', token: held.token + 1n });
}
