// Implements the compare-and-set. A write replaces an item only if the item still has the record id
// that the new record names, in the same life of the register. Ids and lives are never reused. A
// counter would not do: after a deletion it starts again, and a member that slept meanwhile would
// take the new item for the old one.
import { randomUUID } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import {
  formatRecord,
  type LedgerRecord,
  pinRegister,
  type WriteOutcome,
} from '@leadership/core/adapter';
import {
  fields,
  guaranteeField,
  homeRegionField,
  type Item,
  keys,
  partitionsField,
  registerItem,
  textIn,
} from './layout.ts';
import type { Row } from './row.ts';
import type { Store } from './store.ts';
import type { Expected } from './table.ts';

/** The outcome of a write, with the resulting register if the record took effect. */
export type Put =
  | { readonly written: WriteOutcome & 'in-effect'; readonly row: Row }
  | { readonly written: WriteOutcome & 'refused' };

/**
 * Writes `record` if the record it replaces is current. `known` is the register as the engine knows
 * it. Rejects if the outcome is unknown.
 */
export async function put(
  store: Store,
  record: LedgerRecord,
  known: Row | undefined,
  signal: AbortSignal,
): Promise<Put> {
  const { table, group } = store;
  if (known === undefined)
    throw new LeadershipError(
      'unreachable',
      `table "${table.name}": partition ${record.partition} has not been read yet`,
    );
  const life = known.life ?? randomUUID();
  const item = {
    ...itemKey(group, record.partition),
    [fields.life]: { S: life },
    [fields.id]: { S: record.id },
    [fields.record]: { S: formatRecord(record) },
    ...(record.partition === pinRegister && pinned(store)),
  };
  const outcome = await table.put(item, expectedBy(record, known), signal);
  // A retry of the SDK can lose to its own first attempt. Then the stored record is this one.
  const isOurs =
    outcome.done || (outcome.found !== undefined && textIn(outcome.found, fields.id) === record.id);
  return isOurs
    ? { written: 'in-effect', row: { life, record, item, strange: false } }
    : { written: 'refused' };
}

/** Returns the attributes of the pin beside its record. */
function pinned({ guarantee, homeRegion }: Store): Item {
  return {
    ...(guarantee !== 'exclusive' && { [guaranteeField]: { S: guarantee } }),
    ...(homeRegion !== undefined && { [homeRegionField]: { S: homeRegion } }),
  };
}

/**
 * Creates a life of a missing register. Another member may be faster. The pin's genesis holds the
 * number of partitions that its creator will pin. A member with another number thus creates no
 * registers that the group will not have.
 */
export async function begin(
  { table, group }: Store,
  partition: number,
  partitions: number,
  signal: AbortSignal,
): Promise<void> {
  const proposal =
    partition === pinRegister ? { [partitionsField]: { N: String(partitions) } } : {};
  const genesis = { ...itemKey(group, partition), [fields.life]: { S: randomUUID() }, ...proposal };
  await table.put(genesis, { [keys.item]: undefined }, signal);
}

function itemKey(group: string, partition: number): Item {
  return { [keys.group]: { S: group }, [keys.item]: { S: registerItem(partition) } };
}

/**
 * Returns the write condition. An unreadable item has no id, so all that was read must be
 * unchanged.
 */
function expectedBy({ after }: LedgerRecord, known: Row): Expected {
  const { life, id, record } = fields;
  if (known.strange && known.record?.id === after) {
    const { item } = known;
    return {
      [keys.item]: item[keys.item],
      [life]: item[life],
      [id]: item[id],
      [record]: item[record],
    };
  }
  return { [life]: known.item[life], [id]: after === null ? undefined : { S: after } };
}
