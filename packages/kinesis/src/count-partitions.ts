// M, where nobody says how many: as the group was pinned, or as many as the stream has open shards where it is about to be (R3). Splits
// and merges after that change nothing: a group keeps its M.
import { LeadershipError } from '@leadership/core';
import { after, type BackOff, keepTrying, monotonicClock } from '@leadership/core/backend';
import { parseRecord, pinRegister } from '@leadership/core/ledger';
import { answerOf } from './answer-of.ts';
import { isFinal, isMissing, toError } from './errors.ts';
import { fields, keys, registerItem, textIn } from './layout.ts';
import type { Stream } from './stream.ts';
import type { Table } from './table.ts';

/** Where to look. */
export interface Counting {
  readonly table: Table;
  readonly stream: Stream;
  readonly group: string;
  /** Whether the table is going to be made where it is missing: then there is no group yet. */
  readonly create: boolean;
  /** Gives up. */
  readonly signal: AbortSignal;
  /** How long it is tried. Default: ten seconds. Milliseconds. */
  readonly triesMs?: number;
}

/** A first request takes its time. Milliseconds. */
const limitMs = 5000;
/** So long it is tried: whoever opens a source is told why it cannot be had, and tries again. Milliseconds. */
const triesMs = 10_000;
const backOff: BackOff = { firstMs: 200, lastMs: 5000, random: Math.random };

/**
 * The group's M, or the one it is to have. Tries for some seconds.
 * @throws LeadershipError `unauthorized`, `misconfigured-backend`, or `unreachable` with the cause where there was no answer
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
  await keepTrying({ attempt, broke }, backOff, monotonicClock, AbortSignal.any([signal, over.signal]));
  if (counted === undefined) throw signal.aborted ? signal.reason : uncounted(counting, failure);
  return counted;
}

function uncounted({ table, stream }: Counting, failure: unknown): LeadershipError {
  const cause = toError(failure);
  const sentence = `partitions of stream "${stream.name}" and table "${table.name}" could not be counted: ${cause.message}; give \`partitions\`, or try again`;
  return isFinal(cause) ? cause : new LeadershipError('unreachable', sentence, { cause: failure });
}

async function pinned({ table, group, create, signal: until }: Counting): Promise<number | undefined> {
  try {
    const items = await answerOf(table, { clock: monotonicClock, limitMs, until }, (signal) => table.items(group, signal));
    const item = items.find((one) => textIn(one, keys.item) === registerItem(pinRegister));
    const { metadata } = parseRecord(item === undefined ? '' : (textIn(item, fields.record) ?? '')) ?? {};
    return metadata?.['partitions'] === undefined ? undefined : Number(metadata['partitions']);
  } catch (error) {
    if (create && isMissing(toError(error).cause)) return undefined;
    throw error;
  }
}

async function openShards({ stream, signal: until }: Counting): Promise<number> {
  const shards = await answerOf(stream, { clock: monotonicClock, limitMs, until }, (signal) => stream.openShards(signal));
  if (shards.length === 0) throw new Error(`stream "${stream.name}" has no open shard yet`);
  return shards.length;
}
