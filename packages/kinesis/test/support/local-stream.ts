import { CreateStreamCommand, DeleteStreamCommand, KinesisClient, MergeShardsCommand, SplitShardCommand } from '@aws-sdk/client-kinesis';
import { manyListeners } from '@leadership/core/backend';
import { type AwsProxy, awsProxy, startKinesis } from '@leadership/tools/aws';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type Entry, type Shard, type Stream, streamOf } from '../../src/stream.ts';
import { eventually } from './eventually.ts';
import { type Config, credentials, region } from './local-config.ts';

/** A stream of its own in a Kinesis of this host, and a way there that can be made a bad one. */
export interface LocalStream extends AsyncDisposable {
  readonly name: string;
  readonly region: string;
  readonly proxy: AwsProxy;
  /** Past the proxy. */
  readonly stream: Stream;
  /** What a client is made with that comes past the proxy, or over that line of it. */
  readonly direct: Config;
  config(line: string): Config;
  /** What members in processes of their own find in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  append(...entries: readonly Entry[]): Promise<void>;
  /** Cuts the shard in two, at its middle. Resolves once both are open. */
  split(shard: Shard): Promise<void>;
  /** Makes one shard of two neighbours. Resolves once it is open. */
  merge(shard: Shard, neighbour: Shard): Promise<void>;
  /** Cuts the first shard in two, then makes all there are one. */
  reshard(): Promise<void>;
  shards(): Promise<readonly Shard[]>;
  create(shards: number): Promise<void>;
  /** Makes another stream there, of one shard. Resolves with its name, once it is open. */
  another(): Promise<string>;
  drop(): Promise<void>;
}

/** Many requests at once listen to it. */
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
    await eventually('the shards are others', async () => (await listed()).length !== before.length);
  };
  const local: LocalStream = {
    ...{ name, region, proxy, stream, direct },
    environment: server.environment,
    config: (line) => ({ ...direct, endpoint: proxy.line(line) }),
    append: (...entries) => stream.append(entries, never),
    shards: listed,
    reshard: () => reshard(local),
    async split({ id, firstKey, lastKey }) {
      const before = await listed();
      const NewStartingHashKey = String((firstKey + lastKey) / 2n);
      await client.send(new SplitShardCommand({ StreamName: name, ShardToSplit: id, NewStartingHashKey }));
      await changed(before);
    },
    async merge(shard, neighbour) {
      const before = await listed();
      await client.send(new MergeShardsCommand({ StreamName: name, ShardToMerge: shard.id, AdjacentShardToMerge: neighbour.id }));
      await changed(before);
    },
    async create(ShardCount) {
      await client.send(new CreateStreamCommand({ StreamName: name, ShardCount }));
      await eventually('it is open', async () => (await listed().catch(() => [])).length === ShardCount);
    },
    async another() {
      const StreamName = `stream-${crypto.randomUUID()}`;
      const { openShards } = streamOf(client, StreamName);
      await client.send(new CreateStreamCommand({ StreamName, ShardCount: 1 }));
      await eventually('it is open', async () => (await openShards(never).catch(() => [])).length === 1);
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

/** Cuts the first shard in two, then makes all there are one. */
export async function reshard(local: Pick<LocalStream, 'shards' | 'split' | 'merge'>): Promise<void> {
  const inOrder = async (): Promise<readonly Shard[]> => [...(await local.shards())].sort((a, b) => (a.firstKey < b.firstKey ? -1 : 1));
  const [first] = await inOrder();
  if (first) await local.split(first);
  for (let [one, next] = await inOrder(); one && next; [one, next] = await inOrder()) await local.merge(one, next);
}
