// What a register's file number N means. Number 0 is the genesis: nothing in effect yet. Number N + 1 holds the record of
// height N. A number that exists is taken, whatever stands in it: nobody can write that version any more, so it must count.
import { type LedgerRecord, parseRecord, pinRegister } from '@leadership/core/ledger';
import type { VersionName } from './layout.ts';

/** Which register, and what a stranger's hold there counts as. */
export interface Place {
  readonly group: string;
  readonly partition: number;
  /** The group's cap on T: as long as that a stranger may believe. Milliseconds. */
  readonly thresholdMsMax: number;
}

/** One version of a register, as every reader agrees. Immutable, as its file is. */
export interface Version extends VersionName {
  /** The very text of the file: what tells it from what a paused member puts in its place once it was pruned. */
  readonly text: string;
  /** `null` for the genesis. */
  readonly record: LedgerRecord | null;
  /** Whether the file held no record that belongs there. */
  readonly strange: boolean;
}

/** A version that was read, or linked, in a directory. */
export interface Standing extends Version {
  /** Which directory of the register's name that was: another one is another register, though it may be a copy. */
  readonly inode: string;
}

/** The version that follows `before`: its record if it replaces that one, else a stranger's hold. */
export function versionAfter(place: Place, before: Version, text: string): Version {
  const name = { number: before.number + 1, mark: before.mark };
  const record = recordAt(place, name.number, text);
  if (record !== undefined && record.after === idOf(before)) return { ...name, text, record, strange: false };
  return strangeVersion(place, name, text, before.record?.token ?? 0n);
}

/** The genesis: before every record. */
export function genesisVersion(mark: string, text: string): Version {
  return { number: 0, mark, text, record: null, strange: false };
}

/** A version that cannot be trusted. `token` is the greatest of the versions before it: whoever replaces it must exceed that. */
export function strangeVersion(place: Place, { number, mark }: VersionName, text: string, token: bigint): Version {
  return { number, mark, text, record: strangersHold(place, { number, mark }, token), strange: true };
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

/** What it counts as: built from the version's name, so that every reader sees the same. */
function strangersHold({ group, partition, thresholdMsMax }: Place, name: VersionName, token: bigint): LedgerRecord {
  const id = strangerId(name);
  const kind = partition === pinRegister ? 'unreadable' : 'hold';
  const height = name.number - 1;
  return { group, partition, id, after: null, height, member: 'unreadable', incarnation: id, kind, token, thresholdMs: thresholdMsMax };
}

/** The id of the stranger's hold that a version counts as. */
export function strangerId({ number, mark }: VersionName): string {
  return `unreadable/${number}.${mark}`;
}
