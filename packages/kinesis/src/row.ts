// What a register's item means. A register that is missing is begun with a genesis, which names this life of it. So "nothing in effect"
// has a name too: who waited for an empty register, and slept while it was claimed and deleted, does not find the one it waited for.
// An item is in nobody's way only if it holds a record that belongs there, or a genesis; anything else counts as a stranger's hold,
// the same for every reader, and can be replaced once that has lapsed.
import { createHash } from 'node:crypto';
import { type LedgerRecord, parseRecord, pinRegister } from '@leadership/core/ledger';
import { fields, type Item, textIn } from './layout.ts';

/** Which register, and what a stranger's hold there counts as. */
export interface Place {
  readonly group: string;
  readonly partition: number;
  /** The group's cap on T: as long as that a stranger may believe. Milliseconds. */
  readonly thresholdMsMax: number;
}

/** A register's item as it was read. */
export interface Row {
  /** Which life of the register it belongs to; `undefined` only where a stranger left none. */
  readonly life: string | undefined;
  /** `null` for a genesis. */
  readonly record: LedgerRecord | null;
  /** Its attributes as they are: what a write must find unchanged where there is no id to go by. */
  readonly item: Item;
  /** Whether it held neither a record that belongs there nor a genesis. */
  readonly strange: boolean;
}

/** What the item of a register says. */
export function rowOf(place: Place, item: Item): Row {
  const life = textIn(item, fields.life);
  if (life !== undefined && isGenesis(item)) return { life, record: null, item, strange: false };
  const record = parseRecord(textIn(item, fields.record) ?? '');
  const belongs = record?.group === place.group && record.partition === place.partition && record.id === textIn(item, fields.id);
  if (life !== undefined && belongs) return { life, record, item, strange: false };
  return { life, record: strangersHold(place, item), item, strange: true };
}

function isGenesis(item: Item): boolean {
  return item[fields.id] === undefined && item[fields.record] === undefined;
}

/** What it counts as: built from what is there, so that every reader sees the same, and another one in what replaces it. */
function strangersHold({ group, partition, thresholdMsMax }: Place, item: Item): LedgerRecord {
  const content = JSON.stringify([item[fields.life], item[fields.id], item[fields.record]]);
  const id = `unreadable/${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
  const kind = partition === pinRegister ? 'unreadable' : 'hold';
  return {
    group,
    partition,
    id,
    after: null,
    height: 0,
    member: 'unreadable',
    incarnation: id,
    kind,
    token: 0n,
    thresholdMs: thresholdMsMax,
  };
}
