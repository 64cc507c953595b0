// Interprets the item of a register. A missing register is created with a genesis that names this
// life of the register. Thus an empty register has an identity too. A member that waited for an
// empty register may sleep while the register is claimed and deleted; it then finds another life.
// An item that is neither a genesis nor a record for this register counts as a hold by a stranger.
// All readers interpret it alike, and it can be replaced once that hold has lapsed.
import { createHash } from 'node:crypto';
import { type LedgerRecord, parseRecord, pinRegister } from '@leadership/core/adapter';
import { fields, type Item, textIn } from './layout.ts';

/** Identifies a register, and the duration of a stranger's hold in it. */
export interface Place {
  readonly group: string;
  readonly partition: number;
  /** The group's cap on T: a stranger may believe for that long. Milliseconds. */
  readonly thresholdMsMax: number;
}

/** The item of a register as it was read. */
export interface Row {
  /** The id of the register's life; `undefined` only if a stranger left none. */
  readonly life: string | undefined;
  /** The record in effect; `null` for a genesis. */
  readonly record: LedgerRecord | null;
  /** The raw attributes. A write without a record id must find them unchanged. */
  readonly item: Item;
  /** Whether the item held neither a record for this register nor a genesis. */
  readonly strange: boolean;
}

/** Interprets the item of a register. */
export function rowOf(place: Place, item: Item): Row {
  const life = textIn(item, fields.life);
  if (life !== undefined && isGenesis(item)) return { life, record: null, item, strange: false };
  const record = parseRecord(textIn(item, fields.record) ?? '');
  const belongs =
    record?.group === place.group &&
    record.partition === place.partition &&
    record.id === textIn(item, fields.id);
  if (life !== undefined && belongs) return { life, record, item, strange: false };
  return { life, record: strangersHold(place, item), item, strange: true };
}

function isGenesis(item: Item): boolean {
  return item[fields.id] === undefined && item[fields.record] === undefined;
}

/**
 * Creates the hold that an unreadable item stands for. Its id is a hash of the content, so that all
 * readers create the same hold, and a different one for different content.
 */
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
