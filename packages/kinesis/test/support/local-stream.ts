import {
  CreateStreamCommand,
  DeleteStreamCommand,
  KinesisClient,
  MergeShardsCommand,
  SplitShardCommand,
} from '@aws-sdk/client-kinesis';
import { manyListeners } from '@leadership/core/internal/engine';
import { type AwsProxy, awsProxy, startKinesis } from '@leadership/tools/aws';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type Entry, type Shard, type Stream, streamOf } from '../../src/stream/stream.ts';
import { eventually } from './eventually.ts';
import { type Config, credentials, region } from './local-config.ts';

/**
 * A new stream on a Kinesis emulator, reached directly or through a proxy that can inject faults.
 */
export interface LocalStream extends AsyncDisposable {
  readonly name: string;
  readonly region: string;
  readonly proxy: AwsProxy;
  /** Bypasses the proxy. */
  readonly stream: Stream;
  /**
   * The configuration of a client that bypasses the proxy. `config` is for a client on a proxy
   * line.
   */
  readonly direct: Config;
  config(line: string): Config;
  /** The environment variables for members in child processes. */
  readonly environment: Readonly<Record<string, string>>;
  append(...entries: readonly Entry[]): Promise<void>;
  /** Splits the shard in the middle. Resolves once both children are open. */
  split(shard: Shard): Promise<void>;
  /** Merges two adjacent shards. Resolves once the child is open. */
  merge(shard: Shard, neighbour: Shard): Promise<void>;
  /** Splits the first shard, then merges all shards into one. */
  reshard(): Promise<void>;
  shards(): Promise<readonly Shard[]>;
  create(shards: number): Promise<void>;
  /** Creates another stream with one shard. Resolves with its name once it is open. */
  another(): Promise<string>;
  drop(): Promise<void>;
}

/** A signal that never aborts, for many concurrent requests. */
const never = manyListeners(new AbortController().signal);

export async function localStream(shards = 1): Promise<LocalStream> {
  const server = await startKinesis();
  const proxy = await awsProxy({ target: server.url });
  const name = `stream-${crypto.randomUUID()}`;
  const direct = { endpoint: server.url, region, credentials };
  const client = new KinesisClient({ ...direct, requestHandler: new NodeHttpHandler() });
  const stream = streamOf(client, name);
  const listed = (): Promise<readonly Shard[]> => stream.openShards(never);
  const changed = async (before: readonly Shard[]): Promise<void> => {
    await eventually(
      'the open shards have changed',
      async () => (await listed()).length !== before.length,
    );
  };
  const local: LocalStream = {
    name,
    region,
    proxy,
    stream,
    direct,
    environment: server.environment,
    config: (line) => ({ ...direct, endpoint: proxy.line(line) }),
    append: (...entries) => stream.append(entries, never),
    shards: listed,
    reshard: () => reshard(local),
    async split({ id, firstKey, lastKey }) {
      const before = await listed();
      const NewStartingHashKey = String((firstKey + lastKey) / 2n);
      await client.send(
        new SplitShardCommand({ StreamName: name, ShardToSplit: id, NewStartingHashKey }),
      );
      await changed(before);
    },
    async merge(shard, neighbour) {
      const before = await listed();
      await client.send(
        new MergeShardsCommand({
          StreamName: name,
          ShardToMerge: shard.id,
          AdjacentShardToMerge: neighbour.id,
        }),
      );
      await changed(before);
    },
    async create(ShardCount) {
      await client.send(new CreateStreamCommand({ StreamName: name, ShardCount }));
      await eventually(
        'the stream is open',
        async () => (await listed().catch(() => [])).length === ShardCount,
      );
    },
    async another() {
      const StreamName = `stream-${crypto.randomUUID()}`;
      const { openShards } = streamOf(client, StreamName);
      await client.send(new CreateStreamCommand({ StreamName, ShardCount: 1 }));
      await eventually(
        'the stream is open',
        async () => (await openShards(never).catch(() => [])).length === 1,
      );
      return StreamName;
    },
    drop: async () => void (await client.send(new DeleteStreamCommand({ StreamName: name }))),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
  await local.create(shards);
  return local;
}

/** Splits the first shard, then merges all shards into one. */
export async function reshard(
  local: Pick<LocalStream, 'shards' | 'split' | 'merge'>,
): Promise<void> {
  const inOrder = async (): Promise<readonly Shard[]> =>
    [...(await local.shards())].sort((a, b) => (a.firstKey < b.firstKey ? -1 : 1));
  const [first] = await inOrder();
  if (first) await local.split(first);
  for (let [one, next] = await inOrder(); one && next; [one, next] = await inOrder())
    await local.merge(one, next);
}
