// Determines M if the options do not: an existing group keeps its pinned M, and a new group gets
// the number of open shards of the stream (R3). Splits and merges after that do not change M.
import { LeadershipError } from '@leadership/core';
import { monotonicClock } from '@leadership/core/adapter';
import { after, type BackOff, retry } from '@leadership/core/internal/engine';
import { parsePin, pinName } from '@leadership/core/internal/rows';
import { withResponseTimeout } from './client/response-timeout.ts';
import { isFinal, isMissing, toError } from './errors.ts';
import type { Stream } from './stream/stream.ts';
import { keys, textField, textIn } from './table/layout.ts';
import type { Table } from './table/table.ts';

/** Where and how to count. */
export interface Counting {
  readonly table: Table;
  readonly stream: Stream;
  readonly group: string;
  /**
   * Whether a missing table will be created. If so, a missing table means that the group is new.
   */
  readonly create: boolean;
  /** Aborts the attempts. */
  readonly signal: AbortSignal;
  /** How long to retry. Milliseconds. Default: ten seconds. */
  readonly triesMs?: number;
}

/** The first request is slow: it resolves names and fetches credentials. Milliseconds. */
const limitMs = 5000;
/** The caller can retry itself, so the error must reach it soon. Milliseconds. */
const triesMs = 10_000;
const backOff: BackOff = { firstMs: 200, lastMs: 5000, random: Math.random };

/**
 * Returns the M of the group, or the M that a new group gets. Retries for some seconds.
 * @throws LeadershipError `unauthorized` or `misconfigured-backend`, or `unreachable` with the
 * cause if none answered
 */
export async function countPartitions(counting: Counting): Promise<number> {
  const { signal } = counting;
  const over = new AbortController();
  let counted: number | undefined;
  let failure: unknown;
  const attempt = async (): Promise<void> => {
    counted = (await pinned(counting)) ?? (await openShards(counting));
    over.abort();
  };
  const broke = (error: unknown): boolean => {
    failure = error;
    return !isFinal(toError(error)) && monotonicClock.now() < lastTryAt;
  };
  const lastTryAt = after(monotonicClock.now(), counting.triesMs ?? triesMs);
  await retry({ attempt, broke }, backOff, monotonicClock, AbortSignal.any([signal, over.signal]));
  if (counted === undefined) throw signal.aborted ? signal.reason : uncounted(counting, failure);
  return counted;
}

function uncounted({ table, stream }: Counting, failure: unknown): LeadershipError {
  const cause = toError(failure);
  const sentence = `cannot count the partitions of stream "${stream.name}" and table "${table.name}": ${cause.message}; set \`partitions\`, or try again`;
  return isFinal(cause) ? cause : new LeadershipError('unreachable', sentence, { cause: failure });
}

async function pinned({
  table,
  group,
  create,
  signal: until,
}: Counting): Promise<number | undefined> {
  try {
    const items = await withResponseTimeout(
      table,
      { clock: monotonicClock, limitMs, signal: until },
      (signal) => table.items(group, signal),
    );
    const item = items.find((one) => textIn(one, keys.item) === pinName);
    const { hasSessions, partitions } = parsePin(item ? (textIn(item, textField) ?? '') : '');
    return hasSessions ? partitions : undefined;
  } catch (error) {
    if (create && isMissing(toError(error).cause)) return undefined;
    throw error;
  }
}

async function openShards({ stream, signal: until }: Counting): Promise<number> {
  const shards = await withResponseTimeout(
    stream,
    { clock: monotonicClock, limitMs, signal: until },
    (signal) => stream.openShards(signal),
  );
  if (shards.length === 0) throw new Error(`stream "${stream.name}" has no open shard yet`);
  return shards.length;
}
