// The entries of a log of rows. Each names the leader epoch of the last record that its sender had
// read: only in that epoch does it count.
import { type JsonFields, jsonFields } from '../engine/envelope.ts';
import type { NamedText, RowChange } from './rows.ts';

/** Changes of one exchange, in order, each on its own condition. */
export interface BatchEntry {
  readonly kind: 'batch';
  readonly id: string;
  readonly epoch: number;
  readonly changes: readonly RowChange[];
}

/** A part of a copy of all rows, as they were before the record at `upTo`. */
export interface CopyEntry {
  readonly kind: 'copy';
  readonly id: string;
  readonly epoch: number;
  readonly upTo: number;
  readonly part: number;
  readonly parts: number;
  readonly rows: readonly (readonly [name: string, text: string])[];
}

/** The group is without rows before this entry, if it is at the offset `upTo`. */
export interface ResetEntry {
  readonly kind: 'reset';
  readonly epoch: number;
  readonly upTo: number;
}

export type LogEntry = BatchEntry | CopyEntry | ResetEntry;

/** The most parts of a copy. */
const partsMax = 65_536;

export function batchText(id: string, epoch: number, changes: readonly RowChange[]): string {
  const fields = changes.map(({ name, expected, text, isAwaited = false }) =>
    isAwaited ? [name, expected, text, true] : [name, expected, text],
  );
  return JSON.stringify({ kind: 'batch', id, epoch, changes: fields });
}

/**
 * Returns the texts of the parts of a copy. Each is not longer than `lengthMax`, unless one row alone is.
 */
export function copyTexts(
  id: string,
  epoch: number,
  upTo: number,
  rows: Iterable<readonly [name: string, text: string]>,
  lengthMax: number,
): readonly string[] {
  const parts: (readonly [string, string])[][] = [[]];
  let length = 0;
  for (const row of rows) {
    length += row[0].length + row[1].length;
    if (length > lengthMax && parts.at(-1)?.length !== 0) {
      parts.push([]);
      length = row[0].length + row[1].length;
    }
    parts.at(-1)?.push(row);
  }
  const shared = { kind: 'copy', id, epoch, upTo, parts: parts.length };
  return parts.map((part, index) => JSON.stringify({ ...shared, part: index, rows: part }));
}

export function resetText(epoch: number, upTo: number): string {
  return JSON.stringify({ kind: 'reset', epoch, upTo });
}

/** Parses a record. One that cannot be read changes nothing, at any reader. */
export function parseEntry(text: string | undefined): LogEntry | undefined {
  const fields = text === undefined ? undefined : jsonFields(text);
  if (fields === undefined || !isWhole(fields['epoch'], -1)) return undefined;
  switch (fields['kind']) {
    case 'batch':
      return parseBatch(fields);
    case 'copy':
      return parseCopy(fields);
    case 'reset':
      return isWhole(fields['upTo'])
        ? { kind: 'reset', epoch: fields['epoch'], upTo: fields['upTo'] }
        : undefined;
    default:
      return undefined;
  }
}

function parseBatch({ id, epoch, changes }: JsonFields): BatchEntry | undefined {
  if (typeof id !== 'string' || !Array.isArray(changes) || !changes.every(isChange))
    return undefined;
  return {
    kind: 'batch',
    id,
    epoch: Number(epoch),
    changes: changes.map(([name, expected, text, isAwaited]) => ({
      name,
      expected,
      text,
      isAwaited: isAwaited === true,
    })),
  };
}

function parseCopy({ id, epoch, upTo, part, parts, rows }: JsonFields): CopyEntry | undefined {
  if (typeof id !== 'string' || !isWhole(upTo) || !isWhole(part) || !isWhole(parts))
    return undefined;
  if (part >= parts || parts > partsMax || !Array.isArray(rows) || !rows.every(isRow))
    return undefined;
  return { kind: 'copy', id, epoch: Number(epoch), upTo, part, parts, rows };
}

function isWhole(value: unknown, least = 0): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

function isChange(value: unknown): value is [string, NamedText[1], NamedText[1], unknown] {
  if (!Array.isArray(value)) return false;
  const [name, expected, text] = value;
  return typeof name === 'string' && isText(expected) && isText(text);
}

function isRow(value: unknown): value is [string, string] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';
}

function isText(value: unknown): value is NamedText[1] {
  return value === null || typeof value === 'string';
}
