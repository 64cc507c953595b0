// Reads across the end of a segment: a broker answers from one segment.
import type { FetchedPartition } from '../connection/fetched-partition.ts';

/** How one partition is read at the moment. */
export interface PartitionReader {
  /** Returns the number of the broker that leads it; `undefined` if unknown. */
  leader(): number | undefined;
  /** Returns the records from a position on; `undefined` if it is not in the log. */
  fetch(position: bigint): Promise<FetchedPartition | undefined>;
}

/**
 * Returns the records from a position on whose record is the last one in its segment. That record is read
 * again after the next ones, so that it shows that they follow it. Answers of two leaders do not show
 * that: then only the record is returned, and the caller reads again.
 */
export async function readAcross(
  { leader, fetch }: PartitionReader,
  position: bigint,
  { records: [last] }: FetchedPartition,
): Promise<FetchedPartition | undefined> {
  const asked = leader();
  const next = await fetch(last?.nextOffset ?? position + 1n);
  const known = await fetch(position);
  if (next === undefined || !lacksNext(known)) return known;
  // A broker that led again after another one may have lost records of its first time as the leader.
  const isOneLeader =
    leader() === asked &&
    known.highWatermark >= next.highWatermark &&
    known.records[0]?.epoch === last?.epoch;
  return isOneLeader ? { ...known, records: [...known.records, ...next.records] } : known;
}

/** Returns whether a fetch shows one record although another one follows: the caller needs two. */
export function lacksNext(read: FetchedPartition | undefined): read is FetchedPartition {
  const [only] = read?.records ?? [];
  return read?.records.length === 1 && only !== undefined && read.highWatermark > only.nextOffset;
}
