// Reads a partition of the topic once, for the pin.
import { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/adapter';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { fetchRecords } from '../connection/fetch-records.ts';
import type { FetchedPartition, FetchedRecord } from '../connection/fetched-partition.ts';
import type { FetchFrom } from '../connection/log-client.ts';
import { hasErrorType, kafkaError } from '../errors.ts';
import { readPastEmpty } from './past-empty.ts';

/** Options of {@link readToEnd}. */
export interface ReadToEndOptions {
  readonly topic: string;
  readonly clock: Clock;
  /** The limit on each answer, in milliseconds. */
  readonly limitMs: number;
  /** The offset to start at. Default, and lower bound: the start of the partition. */
  readonly from?: bigint;
}

/** Returns all records of a partition of the topic, from `from` to its end. */
export async function readToEnd(
  connection: ClusterConnection,
  partition: number,
  options: ReadToEndOptions,
): Promise<readonly FetchedRecord[]> {
  const all: FetchedRecord[] = [];
  const start = (await connection.offsetsOf([partition], 'start')).get(partition) ?? 0n;
  let position = options.from !== undefined && options.from > start ? options.from : start;
  for (let end = position + 1n; position < end; ) {
    const fetched = await readPastEmpty(
      (from) => fetchOn(connection, { partition, position: from }, options),
      position,
    );
    if (fetched === undefined) return all;
    const unread = fetched.records.filter(({ offset }) => offset >= position);
    all.push(...unread.filter(({ isControl }) => !isControl));
    position = unread.at(-1)?.nextOffset ?? fetched.highWatermark;
    end = fetched.highWatermark;
  }
  return all;
}

async function fetchOn(
  connection: ClusterConnection,
  from: FetchFrom,
  options: ReadToEndOptions,
): Promise<FetchedPartition> {
  const [reply] = await fetchRecords(
    connection,
    connection.leaderOf(from.partition) ?? -1,
    [from],
    { ...options, waitMs: 0 },
  );
  if (reply?.kind === 'fetched') return reply.fetched;
  const place = `topic ${options.topic}, partition ${from.partition}`;
  const isDoubtful =
    reply?.kind === 'failed' &&
    hasErrorType(reply.error, 'UNKNOWN_TOPIC_OR_PARTITION') &&
    !(await connection.isGone(options.limitMs));
  // A restarted broker may not have the current metadata yet. The other brokers must confirm that
  // the topic was deleted.
  if (reply?.kind !== 'failed' || isDoubtful)
    throw new LeadershipError('unreachable', `${place}: it cannot be read`);
  throw kafkaError(reply.error, place);
}
