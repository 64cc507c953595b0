// The fence of a memory group: it takes a partition from its owner, for `memory-group.ts`.
import {
  following,
  incarnationOf,
  ownershipText,
  parseOwnership,
  partitionName,
} from '../lease/records.ts';
import type { MemoryStore } from './memory-rows.ts';

/**
 * Takes the partition from its owner, as another member's record in effect would (M3), and releases
 * it. Returns whether it did.
 */
export function seize(store: MemoryStore, partition: number, incarnation: string): boolean {
  const name = partitionName(partition);
  const expected = store.rows.rows.get(name);
  if (expected === undefined) return false;
  const record = parseOwnership(expected);
  if (record.kind === 'none' || incarnationOf(record.session ?? '') !== incarnation) return false;
  const id = crypto.randomUUID();
  const released = {
    ...record,
    ...following(record, id),
    kind: 'release',
    session: undefined,
    token: record.token + 1n,
  } as const;
  const text = ownershipText(partition, released, id);
  const isDone = store.rows.change({ name, expected, text });
  store.notify();
  return isDone;
}
