// What a register's file number N means. Number 0 is the genesis: nothing in effect yet. Number N + 1 holds the record of
// height N. A number that exists is taken, whatever stands in it: nobody can write that version any more, so it must count.
import { type LedgerRecord, parseRecord, pinRegister } from '@leadership/core/ledger';

/** Which register, and what a stranger's hold there counts as. */
export interface Place {
  readonly group: string;
  readonly partition: number;
  /** The group's cap on T: as long as that a stranger may believe. Milliseconds. */
  readonly thresholdMsMax: number;
}

/** One version of a register, as every reader agrees. Immutable, as its file is. */
export interface Version {
  readonly number: number;
  /** The very text of the file: what tells it from another file of that number, in a store made anew. */
  readonly text: string;
  /** `null` for the genesis. */
  readonly record: LedgerRecord | null;
  /** Whether the file held no record that belongs there. */
  readonly strange: boolean;
}

/** The version that follows `before`: its record if it replaces that one, else a stranger's hold. */
export function versionAfter(place: Place, before: Version, text: string): Version {
  const number = before.number + 1;
  const record = recordAt(place, number, text);
  if (record !== undefined && record.after === idOf(before)) return { number, text, record, strange: false };
  return strangeVersion(place, number, text, before.record?.token ?? 0n);
}

/** The genesis: before every record. */
export function genesisVersion(text: string): Version {
  return { number: 0, text, record: null, strange: false };
}

/** An unreadable version. `token` is the greatest of the versions before it: whoever replaces it must exceed that. */
export function strangeVersion(place: Place, number: number, text: string, token: bigint): Version {
  return { number, text, record: strangersHold(place, number, token), strange: true };
}

/** The id that a record must name to replace this version. */
export function idOf(version: Version): string | null {
  return version.record?.id ?? null;
}

/** The record in a file of that number, if it belongs there; what it replaces is not looked at. */
export function recordAt({ group, partition }: Place, number: number, text: string): LedgerRecord | undefined {
  const record = parseRecord(text);
  const belongs = record?.group === group && record.partition === partition && record.height === number - 1;
  return belongs ? record : undefined;
}

/** What an unreadable version counts as: built from the version's number, so that every reader sees the same. */
function strangersHold({ group, partition, thresholdMsMax }: Place, number: number, token: bigint): LedgerRecord {
  const id = strangerId(number);
  const kind = partition === pinRegister ? 'unreadable' : 'hold';
  const height = number - 1;
  return { group, partition, id, after: null, height, member: 'unreadable', incarnation: id, kind, token, thresholdMs: thresholdMsMax };
}

/** The id of the stranger's hold that an unreadable version counts as. */
export function strangerId(number: number): string {
  return `unreadable/${number}`;
}
