// Reads new records of a topic from one broker.
import type { Clock, Instant } from '@leadership/core/adapter';
import { hasErrorType } from '../errors.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import type { FetchedPartition } from './fetched-partition.ts';
import type { FetchFrom, PartitionAnswer } from './log-client.ts';
import { ResponseTimeoutError } from './response-timeout.ts';

/** The limits of a fetch from one broker. */
export interface FetchOptions {
  readonly clock: Clock;
  /** How long the broker may wait for new records, in milliseconds. */
  readonly waitMs: number;
  /**
   * How long an answer may take beyond `waitMs`, in milliseconds. After that the connection counts
   * as dead.
   */
  readonly limitMs: number;
  /** The fewest bytes of records for which the broker does not wait. Default: 1. */
  readonly minBytes?: number;
  /** The largest part of one partition in a reply. Bytes. Default: 262 144. */
  readonly partitionBytes?: number;
}

/** The result of a fetch for one partition. */
export type Fetched =
  | {
      readonly kind: 'fetched';
      readonly partition: number;
      readonly fetched: FetchedPartition;
      readonly receivedAt: Instant;
    }
  /** The position is not an offset of this log. */
  | { readonly kind: 'out-of-range'; readonly partition: number }
  /** The broker answered with an error, usually because it does not lead the partition. */
  | { readonly kind: 'failed'; readonly partition: number; readonly error: unknown };

/**
 * The largest reply. Decoding blocks the event loop: this number of bytes takes some milliseconds.
 */
const replyBytes = 1_048_576;
const partitionBytesUsual = 262_144;

/** Fetches from one broker. Rejects on connection errors. */
export async function fetchRecords(
  connection: ClusterConnection,
  node: number,
  from: readonly FetchFrom[],
  options: FetchOptions,
): Promise<readonly Fetched[]> {
  const { clock, waitMs, limitMs, minBytes = 1, partitionBytes = partitionBytesUsual } = options;
  const bytes = { replyBytes: Math.max(replyBytes, partitionBytes), partitionBytes };
  const limits = { waitMs, minBytes, ...bytes };
  const broker = await connection.broker(node);
  const silentMs = waitMs + limitMs;
  const answers = await connection
    .withTimeout(broker.fetch(from, limits), silentMs)
    .catch((error: unknown) => {
      if (error instanceof ResponseTimeoutError) connection.endSilent(silentMs);
      throw error;
    });
  const receivedAt = clock.now();
  return completed(from, answers).map((answer): Fetched => {
    const { partition } = answer;
    if ('fetched' in answer)
      return { kind: 'fetched', partition, fetched: answer.fetched, receivedAt };
    const { error } = answer;
    return hasErrorType(error, 'OFFSET_OUT_OF_RANGE')
      ? { kind: 'out-of-range', partition }
      : { kind: 'failed', partition, error };
  });
}

/**
 * The answers, with an error for each requested partition that none of them contains: its position
 * would otherwise never change.
 */
function completed(
  from: readonly FetchFrom[],
  answers: readonly PartitionAnswer[],
): readonly PartitionAnswer[] {
  const answered = new Set(answers.map(({ partition }) => partition));
  const missing = from.filter(({ partition }) => !answered.has(partition));
  return [
    ...answers,
    ...missing.map(({ partition }) => ({
      partition,
      error: new Error('the answer of a broker leaves the partition out'),
    })),
  ];
}
