// Interprets the files of a register, which keeps the lease of one partition. File number 0 is the
// genesis: no record is in effect yet. File N + 1 holds the record of height N. A number that
// exists counts, whatever the file contains, because no member can write that version any more.
import { parseRecord } from '@leadership/core/adapter';
import { type LedgerRecord, pinRegister } from '@leadership/core/internal/lease';
import type { VersionName } from './layout.ts';

/** Identifies a register, and the duration of a stranger's hold in it. */
export interface Place {
  readonly group: string;
  readonly partition: number;
  /** The group's cap on T: a stranger may believe for that long. Milliseconds. */
  readonly thresholdMsMax: number;
}

/** One version of a register. All readers interpret it alike. Immutable, like its file. */
export interface Version extends VersionName {
  /**
   * The exact text of the file. A paused member may write the number again after it was pruned, but
   * with another text.
   */
  readonly text: string;
  /** The record; `null` for the genesis. */
  readonly record: LedgerRecord | null;
  /** Whether the file held no record for this register. */
  readonly strange: boolean;
}

/** A version that was read or linked in a certain directory. */
export interface Standing extends Version {
  /**
   * The inode of the register's directory. A directory with another inode is another register, even
   * if it is a copy.
   */
  readonly inode: string;
}

/**
 * Returns the version that follows `before`: its record if that replaces `before`, otherwise a
 * stranger's hold.
 */
export function versionAfter(place: Place, before: Version, text: string): Version {
  const name = { number: before.number + 1, mark: before.mark };
  const record = recordAt(place, name.number, text);
  if (record !== undefined && record.after === idOf(before))
    return { ...name, text, record, strange: false };
  return strangeVersion(place, name, text, before.record?.token ?? 0n);
}

/** Returns the genesis, the version before all records. */
export function genesisVersion(mark: string, text: string): Version {
  return { number: 0, mark, text, record: null, strange: false };
}

/**
 * Returns a version that cannot be trusted. `token` is the greatest token of the versions before
 * it, which the next one must exceed.
 */
export function strangeVersion(
  place: Place,
  { number, mark }: VersionName,
  text: string,
  token: bigint,
): Version {
  return {
    number,
    mark,
    text,
    record: strangersHold(place, { number, mark }, token),
    strange: true,
  };
}

/** Returns the id that a record must name to replace this version. */
export function idOf(version: Version): string | null {
  return version.record?.id ?? null;
}

/**
 * Returns the record in a file with this number, if it belongs there. Does not check which record
 * it replaces.
 */
export function recordAt(
  { group, partition }: Place,
  number: number,
  text: string,
): LedgerRecord | undefined {
  const record = parseRecord(text);
  const belongs =
    record?.group === group && record.partition === partition && record.height === number - 1;
  return belongs ? record : undefined;
}

/**
 * Creates the hold that an unreadable version counts as. It depends only on the version's name, so
 * all readers agree.
 */
function strangersHold(
  { group, partition, thresholdMsMax }: Place,
  name: VersionName,
  token: bigint,
): LedgerRecord {
  const id = strangerId(name);
  const kind = partition === pinRegister ? 'unreadable' : 'hold';
  const height = name.number - 1;
  return {
    group,
    partition,
    id,
    after: null,
    height,
    member: 'unreadable',
    incarnation: id,
    kind,
    token,
    thresholdMs: thresholdMsMax,
  };
}

/** Returns the id of the hold that an unreadable version counts as. */
export function strangerId({ number, mark }: VersionName): string {
  return `unreadable/${number}.${mark}`;
}
