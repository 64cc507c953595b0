// The row of a register: the id of this life of the register, and the record in effect. A missing
// register is created with a genesis, a row that has a life and no record. Thus an empty register
// has an identity too: a member that waited for an empty register may sleep while the register is
// claimed and deleted; it then finds another life. A row that is neither a genesis nor a record for
// this register counts as a hold by a stranger. All readers interpret it alike, and it can be
// replaced once that hold has lapsed.
//
// Every text of a register's row is unique: it contains an id that is never used again, or a life
// that is never used again. So a comparison of texts is a comparison of versions.

import { jsonFields } from '../../engine/envelope.ts';
import { formatRecord, parseRecord } from '../../ledger/envelope.ts';
import { type LedgerRecord, pinRegister } from '../../ledger/record.ts';
import { murmur2 } from '../../source/murmur2.ts';

/** Identifies a register, and the duration of a stranger's hold in it. */
export interface Place {
  readonly group: string;
  readonly partition: number;
  /** The group's cap on T: a stranger may believe for that long. Milliseconds. */
  readonly thresholdMsMax: number;
}

/** The row of a register as it was read. */
export interface RegisterRow {
  /** The id of the register's life. The life of an unreadable row follows from its text. */
  readonly life: string;
  /** The record in effect; `null` for a genesis. */
  readonly record: LedgerRecord | null;
  /** The text of the row, which the next write must find unchanged. */
  readonly text: string;
  /** Whether the row held neither a record for this register nor a genesis. */
  readonly isStrange: boolean;
}

/** Values that all members must agree on, by name (R3). */
export type PinnedFields = Readonly<Record<string, string>>;

/** What the row of the pin says beside its record. */
export interface PinExtras {
  /** The values that the group has agreed on. */
  readonly pinned: PinnedFields;
  /** In a genesis: the number of partitions that its creator will pin. */
  readonly partitions: number | undefined;
}

/** Interprets the row of a register. */
export function registerRow(place: Place, text: string): RegisterRow {
  const { life, id } = jsonFields(text) ?? {};
  if (typeof life === 'string' && life !== '') {
    if (id === undefined) return { life, record: null, text, isStrange: false };
    const record = parseRecord(text);
    if (record?.group === place.group && record.partition === place.partition)
      return { life, record, text, isStrange: false };
  }
  const record = strangersHold(place, text);
  return { life: record.id, record, text, isStrange: true };
}

/** Formats a record of a register in this life. Readers of records ignore the additional fields. */
export function recordText(life: string, record: LedgerRecord, pinned: PinnedFields): string {
  const extras =
    record.partition === pinRegister && Object.keys(pinned).length > 0 ? { pinned } : {};
  return JSON.stringify({ life, ...extras, ...jsonFields(formatRecord(record)) });
}

/**
 * Formats a genesis. The genesis of the pin says how many partitions its creator will pin. A member
 * with another number thus creates no registers that the group will not have.
 */
export function genesisText(life: string, partition: number, partitions: number): string {
  return JSON.stringify(partition === pinRegister ? { life, partitions } : { life });
}

/** Returns what the row of the pin says beside its record. */
export function pinExtras({ text }: RegisterRow): PinExtras {
  const { pinned, partitions } = jsonFields(text) ?? {};
  const entries = typeof pinned === 'object' && pinned !== null ? Object.entries(pinned) : [];
  const words = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    pinned: Object.fromEntries(words),
    partitions: typeof partitions === 'number' ? partitions : undefined,
  };
}

/**
 * Creates the hold that an unreadable row stands for. Its id depends on the text only, so that all
 * readers create the same hold. A hash is enough: a write over it compares the whole text.
 */
function strangersHold({ group, partition, thresholdMsMax }: Place, text: string): LedgerRecord {
  const id = `unreadable/${murmur2(text).toString(16)}`;
  const kind = partition === pinRegister ? 'unreadable' : 'hold';
  const stranger = {
    member: 'unreadable',
    incarnation: id,
    kind,
    token: 0n,
    thresholdMs: thresholdMsMax,
  };
  return { group, partition, id, after: null, height: 0, ...stranger };
}

/**
 * Returns whether `row` came after `before` in one life of the register. If a read shows no such
 * row, the store went back: the register was deleted or replaced (L11).
 */
export function succeeds(row: RegisterRow | undefined, before: RegisterRow | undefined): boolean {
  if (row === undefined || row.life !== before?.life || row.record === null) return false;
  return before.record === null || row.record.height > before.record.height;
}
