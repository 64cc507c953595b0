// Opens a source on AWS, by options (`kinesisLeadership`) or by URL (`backend`).
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import {
  type Backend,
  type BackendModule,
  type Host,
  leaseBackend,
  mergeAddress,
  type OptionLimits,
  openSource,
  type ResolvedOptions,
  resolveOptions,
} from '@leadership/core/adapter';
import { type InductionParts, inductionBackend } from '@leadership/induction';
import { continuousParts, continuousTraits } from './continuous-parts.ts';
import { countPartitions } from './count-partitions.ts';
import { continuousUnder } from './election.ts';
import { exclusiveRows } from './exclusive-rows.ts';
import {
  checkCounted,
  checkPlace,
  type KinesisOptions,
  type PlaceOptions,
  parameters,
  placeIn,
} from './options.ts';
import { openStream } from './stream/open-stream.ts';
import { openTable } from './table/open-table.ts';

const ownOptions: Readonly<Record<Exclude<keyof KinesisOptions, keyof SourceOptions>, true>> = {
  table: true,
  hashKey: true,
  rangeKey: true,
  region: true,
  dynamodb: true,
  create: true,
  homeRegion: true,
  stream: true,
  kinesis: true,
  guarantee: true,
  leaseMs: true,
  membersMax: true,
};

/**
 * The limits by guarantee. In a `continuous` group, beats are records of each partition: ten in T, of the
 * thousand that a shard takes in a second.
 */
function limitsOf({ election }: PlaceOptions): OptionLimits {
  const own = Object.keys(ownOptions);
  return election.guarantee === 'exclusive'
    ? { partitions: { max: 10_000, backend: 'DynamoDB' }, own, keepsPartitionsMax: true }
    : { partitions: { max: 256, backend: 'Kinesis' }, own };
}

/**
 * Opens a source for one member of a group that is kept in a DynamoDB table. It starts at once;
 * `ready()` resolves when the table is usable.
 * @throws LeadershipError `invalid-options`
 */
export function kinesisLeadership(options: KinesisOptions): LeadershipSource {
  const place = placeOf(options);
  checkCounted(place, options.partitions);
  const resolved = resolveOptions(options, limitsOf(place));
  return openSource(backendAt(place, resolved), resolved);
}

/**
 * Opens a source like {@link kinesisLeadership}, but `partitions` may be omitted if there is a
 * stream. A new group then gets as many partitions as the stream has open shards; an existing group
 * keeps its number. Resolves once the table and the stream have answered. `signal` aborts the wait.
 * @throws LeadershipError `invalid-options`, and `unauthorized` or `misconfigured-backend` if it
 * had to ask the table or the stream
 */
export async function openKinesisLeadership(options: KinesisOptions): Promise<LeadershipSource> {
  const place = placeOf(options);
  if (place.stream === undefined || options.partitions !== undefined)
    return kinesisLeadership(options);
  // Report invalid options before anything connects.
  const resolved = resolveOptions({ ...options, partitions: 1 }, limitsOf(place));
  backendAt(place, resolved);
  const { group, signal = new AbortController().signal } = resolved;
  const { table, close: closeTable } = openTable(place);
  const { stream, close: closeStream } = openStream({ ...place, stream: place.stream }, table);
  try {
    const partitions = await countPartitions({
      table,
      stream,
      group,
      create: place.create,
      signal,
    });
    return kinesisLeadership({ ...options, partitions });
  } finally {
    closeTable();
    closeStream();
  }
}

/** The backend module for `openLeadership('kinesis://REGION/STREAM?group=GROUP&table=TABLE')`. */
export const backend: BackendModule = {
  scheme: 'kinesis',
  parameters,
  open(address, options) {
    const merged = mergeAddress(address, options, placeIn(address)) as KinesisOptions;
    const isCounted = merged.stream !== undefined && merged.partitions === undefined;
    return isCounted ? openKinesisLeadership(merged) : kinesisLeadership(merged);
  },
};

/** Returns the options that only this backend has. */
function placeOf(options: KinesisOptions): PlaceOptions {
  const own = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(ownOptions, name) && value !== undefined,
  );
  return checkPlace(Object.fromEntries(own));
}

function backendAt(place: PlaceOptions, options: ResolvedOptions): Backend {
  const { election, stream } = place;
  if (election.guarantee === 'continuous' && stream !== undefined) {
    const numbers = continuousUnder(election, options.thresholdMs);
    const open = (host: Host): InductionParts =>
      continuousParts({ ...place, stream, ...numbers }, options, host);
    return inductionBackend(
      { ...options, beats: 'owner' },
      open,
      continuousTraits(numbers, options),
    );
  }
  const { homeRegion } = place;
  return leaseBackend(options, (host) => exclusiveRows(place, options, host), {
    ...(homeRegion !== undefined && { pinned: { homeRegion } }),
  });
}
