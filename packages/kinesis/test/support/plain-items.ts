import { formatRecord, type LedgerRecord, pinRegister } from '@leadership/core/adapter';
import { fields, type Item, keys, registerItem, textField } from '../../src/table/layout.ts';

export const group = 'g';

/** A record of a partition, of another member unless `change` says otherwise. */
export function recordOf(partition: number, change: Partial<LedgerRecord> = {}): LedgerRecord {
  const writer = { id: 'b/1', member: 'b', incarnation: 'b' };
  return {
    group,
    partition,
    ...writer,
    after: null,
    height: 0,
    kind: 'hold',
    token: 1n,
    thresholdMs: 1000,
    ...change,
  };
}

/** The pin of a group with these options. */
export function pinOf(partitions: number, thresholdMsMax: number): LedgerRecord {
  const metadata = { partitions: String(partitions), thresholdMsMax: String(thresholdMsMax) };
  return recordOf(pinRegister, { kind: 'pin', id: 'b/pin', token: 0n, metadata });
}

/** The item of a register with this record, or its genesis. */
export function registerWith(
  partition: number,
  record: LedgerRecord | undefined,
  more: Item = {},
): Item {
  const own = record && {
    [fields.id]: { S: record.id },
    [fields.record]: { S: formatRecord(record) },
  };
  return {
    [keys.group]: { S: group },
    [keys.item]: { S: registerItem(partition) },
    [fields.life]: { S: 'life' },
    ...own,
    ...more,
  };
}

/** The item of a member with this text. */
export function memberItemWith(item: string, note: object): Item {
  return {
    [keys.group]: { S: group },
    [keys.item]: { S: item },
    [textField]: { S: JSON.stringify(note) },
  };
}
