// The compare-and-set: an item is replaced where it still has the id that the record names, in the life of the register that was read.
// Ids and lives are never used again. A counter would not do: what was deleted and made again counts from the start, and a member that
// slept meanwhile takes it for the old one.
import { randomUUID } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import { formatRecord, type LedgerRecord, pinRegister, type Written } from '@leadership/core/ledger';
import { fields, guaranteeField, type Item, keys, partitionsField, registerItem, textIn } from './layout.ts';
import type { Row } from './row.ts';
import type { Store } from './store.ts';
import type { Expected } from './table.ts';

/** What became of a write, and the register as it is then, where the record took effect. */
export type Put = { readonly written: Written & 'in-effect'; readonly row: Row } | { readonly written: Written & 'refused' };

/** Writes `record` where what it replaces is current; `told` is the register as its engine knows it. Rejects where its fate is unknown. */
export async function put(store: Store, record: LedgerRecord, told: Row | undefined, signal: AbortSignal): Promise<Put> {
  const { table, group, guarantee } = store;
  if (told === undefined) throw new LeadershipError('unreachable', `table "${table.name}": partition ${record.partition} was not read yet`);
  const life = told.life ?? randomUUID();
  const item = {
    ...itemKey(group, record.partition),
    [fields.life]: { S: life },
    [fields.id]: { S: record.id },
    [fields.record]: { S: formatRecord(record) },
    ...(record.partition === pinRegister && guarantee !== 'exclusive' && { [guaranteeField]: { S: guarantee } }),
  };
  const outcome = await table.put(item, expectedBy(record, told), signal);
  // A client that repeats what it got no answer to loses to its own first attempt.
  const isOurs = outcome.done || (outcome.found !== undefined && textIn(outcome.found, fields.id) === record.id);
  return isOurs ? { written: 'in-effect', row: { life, record, item, strange: false } } : { written: 'refused' };
}

/**
 * Begins a life of a register that is missing. Another member may be faster. The pin's says how many partitions its maker is going to
 * pin, so that a member with another number does not begin registers that the group will not have.
 */
export async function begin({ table, group }: Store, partition: number, partitions: number, signal: AbortSignal): Promise<void> {
  const proposal = partition === pinRegister ? { [partitionsField]: { N: String(partitions) } } : {};
  const genesis = { ...itemKey(group, partition), [fields.life]: { S: randomUUID() }, ...proposal };
  await table.put(genesis, { [keys.item]: undefined }, signal);
}

function itemKey(group: string, partition: number): Item {
  return { [keys.group]: { S: group }, [keys.item]: { S: registerItem(partition) } };
}

/** Where there is no id to go by, everything that was read has to be there still. */
function expectedBy({ after }: LedgerRecord, told: Row): Expected {
  const { life, id, record } = fields;
  if (told.strange && told.record?.id === after) {
    const { item } = told;
    return { [keys.item]: item[keys.item], [life]: item[life], [id]: item[id], [record]: item[record] };
  }
  return { [life]: told.item[life], [id]: after === null ? undefined : { S: after } };
}
