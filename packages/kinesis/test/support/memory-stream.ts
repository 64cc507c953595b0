import { KinesisClient } from '@aws-sdk/client-kinesis';
import { manyListeners } from '@leadership/core/backend';
import { type Shard, streamOf } from '../../src/stream.ts';
import { credentials, region } from './local-config.ts';
import type { LocalStream } from './local-stream.ts';
import { type MemoryService, memoryService, type Serve, ServiceError } from './memory-service.ts';

/** A request to Kinesis, as far as this package makes one. */
interface Input {
  readonly ShardId: string;
  readonly ShardIteratorType: string;
  readonly ShardIterator: string;
  readonly Records: readonly { readonly Data: string; readonly ExplicitHashKey: string }[];
}

interface StoredShard extends Shard {
  readonly records: string[];
  /** The shards that it became: it is closed then. */
  readonly children: string[];
}

export interface MemoryStream
  extends Pick<LocalStream, 'name' | 'config' | 'stream' | 'append' | 'proxy' | 'split' | 'drop'>,
    AsyncDisposable {
  readonly service: MemoryService;
}

const never = manyListeners(new AbortController().signal);
const keys = 2n ** 128n;

/** A stream of a Kinesis in memory: shards, their splits, and positions. */
export function memoryStream(count = 1): MemoryStream {
  const shards = new Map<string, StoredShard>();
  let isThere = true;
  const add = (firstKey: bigint, lastKey: bigint): string => {
    const id = `shardId-${String(shards.size).padStart(12, '0')}`;
    shards.set(id, { id, firstKey, lastKey, records: [], children: [] });
    return id;
  };
  for (let index = 0n; index < BigInt(count); index += 1n) add((keys * index) / BigInt(count), (keys * (index + 1n)) / BigInt(count) - 1n);
  const serve: Serve = (operation, input) => {
    if (!isThere) throw new ServiceError('ResourceNotFoundException');
    return (operations[operation] ?? unknown)(shards, input as unknown as Input);
  };
  const service = memoryService(serve);
  const name = `stream-${crypto.randomUUID()}`;
  const config = (line: string) => ({ endpoint: 'http://127.0.0.1', region, credentials, requestHandler: service.handler(line) });
  const client = new KinesisClient(config('direct'));
  const stream = streamOf(client, name);
  return {
    ...{ name, config, stream, service },
    proxy: { ...service, line: (line) => line, [Symbol.asyncDispose]: async () => undefined },
    append: (...entries) => stream.append(entries, never),
    async split({ id, firstKey, lastKey }) {
      const middle = (firstKey + lastKey) / 2n;
      shards.get(id)?.children.push(add(firstKey, middle), add(middle + 1n, lastKey));
    },
    drop: async () => {
      isThere = false;
    },
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

const described = ({ id, firstKey, lastKey }: Shard): object => ({
  ShardId: id,
  HashKeyRange: { StartingHashKey: String(firstKey), EndingHashKey: String(lastKey) },
});

const operations: Readonly<Record<string, (shards: Map<string, StoredShard>, input: Input) => object>> = {
  ListShards: (shards) => ({ Shards: [...shards.values()].filter(({ children }) => children.length === 0).map(described) }),
  GetShardIterator(shards, { ShardId, ShardIteratorType }) {
    const from = ShardIteratorType === 'TRIM_HORIZON' ? 0 : (shards.get(ShardId)?.records.length ?? 0);
    return { ShardIterator: `${ShardId}/${from}` };
  },
  GetRecords(shards, { ShardIterator }) {
    const [id = '', from = '0'] = ShardIterator.split('/');
    const shard = shards.get(id);
    if (shard === undefined) throw new ServiceError('ExpiredIteratorException');
    const Records = shard.records.slice(Number(from)).map((Data) => ({ Data, PartitionKey: '-', SequenceNumber: '1' }));
    if (shard.children.length === 0) return { Records, NextShardIterator: `${id}/${shard.records.length}` };
    return { Records, ChildShards: shard.children.map((child) => described(shards.get(child) as Shard)) };
  },
  PutRecords(shards, { Records }) {
    for (const { Data, ExplicitHashKey } of Records) {
      const key = BigInt(ExplicitHashKey);
      const open = [...shards.values()].find((shard) => shard.children.length === 0 && shard.firstKey <= key && key <= shard.lastKey);
      open?.records.push(Data);
    }
    return { FailedRecordCount: 0, Records: Records.map(() => ({ SequenceNumber: '1', ShardId: 's' })) };
  },
};

function unknown(): never {
  throw new ServiceError('UnknownOperationException');
}
