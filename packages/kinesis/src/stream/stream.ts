// Sends single requests to Kinesis, converts the answers, and maps the errors. Nothing is retried
// here.
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  type ListShardsOutput,
  PutRecordsCommand,
} from '@aws-sdk/client-kinesis';
import { checkedSender, type NamedRegion, requestCheck } from '../client/regions.ts';
import { awsError } from '../errors.ts';
import type { HashKey } from './hash-key.ts';

/** The part of the SDK client that sends requests. */
type Sender = Pick<KinesisClient, 'send'>;

/** A shard, with the range of hash keys whose records it receives while it is open. */
export interface Shard {
  readonly id: string;
  readonly firstKey: HashKey;
  readonly lastKey: HashKey;
}

/** The result of one read of a shard. */
export interface Batch {
  readonly texts: readonly string[];
  /** The iterator for the next read; `undefined` once the shard is closed and read to its end. */
  readonly next: string | undefined;
  /** The shards that continue a closed shard that was read to its end. */
  readonly children: readonly Shard[];
}

/** A record to write. */
export interface Entry {
  readonly key: HashKey;
  readonly text: string;
}

/**
 * A Kinesis stream. Each call rejects with a `LeadershipError`, and then its outcome is unknown.
 */
export interface Stream {
  readonly kind: 'stream';
  readonly name: string;
  region(): Promise<string>;
  openShards(signal: AbortSignal): Promise<readonly Shard[]>;
  /** Returns an iterator that starts at the oldest record of a shard, or after its latest. */
  position(shard: string, from: 'oldest' | 'next', signal: AbortSignal): Promise<string>;
  read(position: string, signal: AbortSignal): Promise<Batch>;
  append(entries: readonly Entry[], signal: AbortSignal): Promise<void>;
}

/** The largest number of records in one request. */
const entriesMax = 500;

/**
 * Creates the stream with this name or ARN. Requests to another region than `wanted` are rejected
 * before they are sent.
 */
export function streamOf(
  given: KinesisClient,
  name: string,
  wanted?: () => Promise<NamedRegion>,
): Stream {
  const region = (): Promise<string> => given.config.region();
  const check = requestCheck({
    kind: 'stream',
    name,
    client: given,
    wanted: async () => wanted?.(),
  });
  const client = checkedSender(given, check);
  const stream = name.startsWith('arn:') ? { StreamARN: name } : { StreamName: name };
  /** Runs a request and maps its errors. */
  const ask = async <T>(action: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      const where = await region().catch(() => 'an unknown region');
      throw awsError(error, { action: `kinesis:${action}`, kind: 'stream', name, region: where });
    }
  };
  return {
    kind: 'stream',
    name,
    region,
    openShards: (signal) => ask('ListShards', () => listOpen(client, stream, signal)),
    position: (shard, from, signal) =>
      ask('GetShardIterator', async () => {
        const type = from === 'next' ? 'LATEST' : 'TRIM_HORIZON';
        const command = new GetShardIteratorCommand({
          ...stream,
          ShardId: shard,
          ShardIteratorType: type,
        });
        return (await client.send(command, { abortSignal: signal })).ShardIterator ?? '';
      }),
    read: (position, signal) => ask('GetRecords', () => read(client, stream, position, signal)),
    append: (entries, signal) =>
      ask('PutRecords', async () => {
        for (let start = 0; start < entries.length; start += entriesMax)
          await append(client, stream, entries.slice(start, start + entriesMax), signal);
      }),
  };
}

interface Named {
  readonly StreamARN?: string;
  readonly StreamName?: string;
}

async function listOpen(
  client: Sender,
  stream: Named,
  signal: AbortSignal,
): Promise<readonly Shard[]> {
  const shards: Shard[] = [];
  let token: string | undefined;
  do {
    // A token implies all parameters of the first request, and must be sent without them.
    const asked =
      token === undefined
        ? { ...stream, ShardFilter: { Type: 'AT_LATEST' as const } }
        : { NextToken: token };
    const { Shards = [], NextToken }: ListShardsOutput = await client.send(
      new ListShardsCommand(asked),
      { abortSignal: signal },
    );
    for (const { ShardId, HashKeyRange } of Shards) shards.push(shardOf(ShardId, HashKeyRange));
    token = NextToken;
  } while (token !== undefined);
  return shards;
}

interface KeyRange {
  readonly StartingHashKey: string | undefined;
  readonly EndingHashKey: string | undefined;
}

function shardOf(id: string | undefined, range: KeyRange | undefined): Shard {
  const { StartingHashKey = '0', EndingHashKey = '0' } = range ?? {};
  return {
    id: id ?? '',
    firstKey: BigInt(StartingHashKey),
    lastKey: BigInt(EndingHashKey),
  };
}

async function read(
  client: Sender,
  { StreamARN }: Named,
  position: string,
  signal: AbortSignal,
): Promise<Batch> {
  const command = new GetRecordsCommand({
    ShardIterator: position,
    ...(StreamARN !== undefined && { StreamARN }),
  });
  const {
    Records = [],
    NextShardIterator: next,
    ChildShards = [],
  } = await client.send(command, { abortSignal: signal });
  return {
    texts: Records.map(({ Data }) => Buffer.from(Data ?? []).toString('utf8')),
    next: next ?? undefined,
    children: ChildShards.map(({ ShardId, HashKeyRange }) => shardOf(ShardId, HashKeyRange)),
  };
}

async function append(
  client: Sender,
  stream: Named,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<void> {
  const records = entries.map(({ key, text }) => ({
    Data: Buffer.from(text),
    PartitionKey: '-',
    ExplicitHashKey: String(key),
  }));
  const { FailedRecordCount = 0, Records = [] } = await client.send(
    new PutRecordsCommand({ ...stream, Records: records }),
    {
      abortSignal: signal,
    },
  );
  const failed = Records.find(({ ErrorCode }) => ErrorCode !== undefined);
  if (FailedRecordCount > 0 || failed !== undefined)
    throw Object.assign(
      new Error(failed?.ErrorMessage ?? 'Kinesis did not write some of the records'),
      {
        name: failed?.ErrorCode ?? 'InternalFailure',
      },
    );
}
