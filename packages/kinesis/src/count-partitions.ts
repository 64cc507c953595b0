// M, where nobody says how many: as the group was pinned, or as many as the stream has open shards where it is about to be (R3). Splits
// and merges after that change nothing: a group keeps its M.
import { type BackOff, keepTrying, monotonicClock, within } from '@leadership/core/backend';
import { parseRecord, pinRegister } from '@leadership/core/ledger';
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
}

/** A first request takes its time. Milliseconds. */
const limitMs = 5000;
const backOff: BackOff = { firstMs: 200, lastMs: 5000, random: Math.random };

/**
 * The group's M, or the one it is to have. Tries until there is an answer.
 * @throws LeadershipError `unauthorized`, `misconfigured-backend`
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
    return !isFinal(toError(error));
  };
  await keepTrying({ attempt, broke }, backOff, monotonicClock, AbortSignal.any([signal, over.signal]));
  if (counted === undefined) throw failure ?? signal.reason;
  return counted;
}

async function pinned({ table, group, create, signal: until }: Counting): Promise<number | undefined> {
  try {
    const items = await within({ clock: monotonicClock, limitMs, until }, (signal) => table.items(group, signal));
    const item = items.find((one) => textIn(one, keys.item) === registerItem(pinRegister));
    const { metadata } = parseRecord(item === undefined ? '' : (textIn(item, fields.record) ?? '')) ?? {};
    return metadata?.['partitions'] === undefined ? undefined : Number(metadata['partitions']);
  } catch (error) {
    if (create && isMissing(toError(error).cause)) return undefined;
    throw error;
  }
}

async function openShards({ stream, signal: until }: Counting): Promise<number> {
  const shards = await within({ clock: monotonicClock, limitMs, until }, (signal) => stream.openShards(signal));
  if (shards.length === 0) throw new Error(`stream "${stream.name}" has no open shard yet`);
  return shards.length;
}
