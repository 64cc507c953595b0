import { KinesisClient } from '@aws-sdk/client-kinesis';
import { manyListeners } from '@leadership/core/internal/engine';
import { type Shard, streamOf } from '../../src/stream/stream.ts';
import { credentials, region } from './local-config.ts';
import { type LocalStream, reshard } from './local-stream.ts';
import { type MemoryService, memoryService, type Serve, ServiceError } from './memory-service.ts';

/** The fields of Kinesis requests that this package uses. */
interface Input {
  readonly StreamName: string;
  readonly ShardId: string;
  readonly ShardIteratorType: string;
  readonly ShardIterator: string;
  readonly NextToken?: string;
  readonly Records: readonly { readonly Data: string; readonly ExplicitHashKey: string }[];
}

interface StoredShard extends Shard {
  readonly records: string[];
  /** The children of a closed shard. Empty while the shard is open. */
  readonly children: string[];
  /** The times of the reads within the last second. Milliseconds. */
  readonly readAt: number[];
}

type Shards = Map<string, StoredShard>;

export interface MemoryStream extends LocalStream {
  readonly service: MemoryService;
}

const never = manyListeners(new AbortController().signal);
const keys = 2n ** 128n;
/** The limit of reads per shard and second, for all readers together. */
const readingsASecond = 5;
/** The largest number of shards in a response, and of records in a request. */
const [pageShards, entriesMax] = [5, 500];

/**
 * Creates a stream in an in-memory Kinesis with shards, splits, merges, iterators and the read
 * limit.
 */
export async function memoryStream(count = 1): Promise<MemoryStream> {
  const streams = new Map<string, Shards>();
  const serve: Serve = (operation, input) => {
    const asked = input as unknown as Input;
    const named = streams.get(
      asked.StreamName ??
        asked.NextToken?.split('/')[0] ??
        asked.ShardIterator?.split('/')[0] ??
        '',
    );
    if (named === undefined) throw new ServiceError('ResourceNotFoundException');
    const run = operations[operation];
    if (run === undefined) throw new ServiceError('UnknownOperationException');
    return run(named, asked);
  };
  const service = memoryService(serve);
  const name = `stream-${crypto.randomUUID()}`;
  const config = (line: string) => ({
    endpoint: 'http://127.0.0.1',
    region,
    credentials,
    requestHandler: service.handler(line),
  });
  const client = new KinesisClient(config('direct'));
  const stream = streamOf(client, name);
  const own = (): Shards => streams.get(name) ?? new Map();
  const local: MemoryStream = {
    name,
    region,
    config,
    stream,
    service,
    direct: config('direct'),
    environment: {},
    proxy: { ...service, line: (line) => line, [Symbol.asyncDispose]: async () => undefined },
    append: (...entries) => stream.append(entries, never),
    shards: () => stream.openShards(never),
    reshard: () => reshard(local),
    async split({ id, firstKey, lastKey }) {
      const middle = (firstKey + lastKey) / 2n;
      own()
        .get(id)
        ?.children.push(add(own(), firstKey, middle), add(own(), middle + 1n, lastKey));
    },
    async merge(one, other) {
      const [left, right] = one.firstKey < other.firstKey ? [one, other] : [other, one];
      const child = add(own(), left.firstKey, right.lastKey);
      for (const { id } of [left, right]) own().get(id)?.children.push(child);
    },
    create: async (shards) => void streams.set(name, made(shards)),
    async another() {
      const another = `stream-${crypto.randomUUID()}`;
      streams.set(another, made(1));
      return another;
    },
    drop: async () => void streams.delete(name),
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
  await local.create(count);
  return local;
}

function made(count: number): Shards {
  const shards: Shards = new Map();
  const border = (index: number): bigint => (keys * BigInt(index)) / BigInt(count);
  for (let index = 0; index < count; index += 1) add(shards, border(index), border(index + 1) - 1n);
  return shards;
}

function add(shards: Shards, firstKey: bigint, lastKey: bigint): string {
  const id = `shardId-${String(shards.size).padStart(12, '0')}`;
  shards.set(id, { id, firstKey, lastKey, records: [], children: [], readAt: [] });
  return id;
}

const described = ({ id, firstKey, lastKey }: Shard): object => ({
  ShardId: id,
  HashKeyRange: { StartingHashKey: String(firstKey), EndingHashKey: String(lastKey) },
});

const operations: Readonly<Record<string, (shards: Shards, input: Input) => object>> = {
  ListShards(shards, { StreamName, NextToken }) {
    const [name = StreamName, from = '0'] = NextToken?.split('/') ?? [];
    const open = [...shards.values()]
      .filter(({ children }) => children.length === 0)
      .slice(Number(from));
    const more =
      open.length > pageShards ? { NextToken: `${name}/${Number(from) + pageShards}` } : {};
    return { Shards: open.slice(0, pageShards).map(described), ...more };
  },
  GetShardIterator(shards, { StreamName, ShardId, ShardIteratorType }) {
    const from =
      ShardIteratorType === 'TRIM_HORIZON' ? 0 : (shards.get(ShardId)?.records.length ?? 0);
    return { ShardIterator: `${StreamName}/${ShardId}/${from}` };
  },
  GetRecords(shards, { ShardIterator }) {
    const [name, id = '', from = '0'] = ShardIterator.split('/');
    const shard = shards.get(id);
    if (shard === undefined) throw new ServiceError('ExpiredIteratorException');
    limitReadings(shard);
    const Records = shard.records
      .slice(Number(from))
      .map((Data) => ({ Data, PartitionKey: '-', SequenceNumber: '1' }));
    if (shard.children.length === 0)
      return { Records, NextShardIterator: `${name}/${id}/${shard.records.length}` };
    return {
      Records,
      ChildShards: shard.children.flatMap((child) => shards.get(child) ?? []).map(described),
    };
  },
  PutRecords(shards, { Records }) {
    if (Records.length > entriesMax) throw new ServiceError('ValidationException');
    for (const { Data, ExplicitHashKey } of Records) {
      const key = BigInt(ExplicitHashKey);
      const open = [...shards.values()].find(
        (shard) => shard.children.length === 0 && shard.firstKey <= key && key <= shard.lastKey,
      );
      open?.records.push(Data);
    }
    return {
      FailedRecordCount: 0,
      Records: Records.map(() => ({ SequenceNumber: '1', ShardId: 's' })),
    };
  },
};

function limitReadings({ readAt }: StoredShard): void {
  const now = performance.now();
  while (readAt[0] !== undefined && readAt[0] < now - 1000) readAt.shift();
  if (readAt.length >= readingsASecond)
    throw new ServiceError('ProvisionedThroughputExceededException');
  readAt.push(now);
}
