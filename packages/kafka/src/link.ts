// The connection to the cluster that reads and writes share: KafkaJS' own view of the cluster, which it hands to the factory of a
// custom assigner. Reads and writes travel on two sockets per broker, so that a long poll never delays a write.
import { setMaxListeners } from 'node:events';
import { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/backend';
import type { Broker, Cluster } from 'kafkajs';
import type { Client, OpenClient } from './client.ts';
import { isSaid, kafkaError } from './errors.ts';
import { letGo } from './let-go.ts';
import { clusterOf, connectCluster } from './own-cluster.ts';
import { timely } from './timely.ts';
import { type TopicAdmin, topicAdmin } from './topic-admin.ts';

/** A connection, until it is hung up. */
export interface Link {
  /** Aborts once it is hung up. */
  readonly signal: AbortSignal;
  /** How many partitions the topic has. */
  readonly partitions: number;
  /** What the brokers can be asked about the topic beside its records. What a question may take is up to {@link answer}. */
  readonly admin: TopicAdmin;
  /** An answer about the topic in the time that connecting may take, until it is hung up. */
  answer<T>(asked: Promise<T>): Promise<T>;
  /** The broker that leads the partition of the topic, as far as is known; -1 where none does. */
  leaderOf(partition: number): number | undefined;
  /** That broker, connected. */
  broker(node: number): Promise<Broker>;
  /** What a broker is asked over this link, until it is hung up; or `Unanswered`. Milliseconds. */
  inTime<T>(asked: Promise<T>, limitMs: number): Promise<T>;
  /** Where the logs of these partitions start, or what will be appended next would stand: one request for each broker that leads some. */
  offsetsOf(partitions: readonly number[], which: 'start' | 'end'): Promise<ReadonlyMap<number, bigint>>;
  /** Whether no broker that answers within so long knows the topic, and one says that there is none. Milliseconds. */
  isGone(limitMs: number): Promise<boolean>;
  /** Asks anew who leads what. */
  refresh(): Promise<void>;
  /** Nobody answered for so long: the connections that are silent end, or all of them where they cannot be told apart. Milliseconds. */
  endSilent(ms: number): void;
  /** Ends it, at once. What is in flight rejects. */
  hangUp(): void;
}

/** What a link connects to, and how patient it is. */
export interface LinkOptions {
  readonly openClient: OpenClient;
  readonly topic: string;
  readonly clock: Clock;
  /** How long a connection, or an answer about who leads what, may take. Milliseconds. */
  readonly limitMs: number;
  /** What an answer may take before KafkaJS forgets the question. Milliseconds. */
  readonly requestTimeoutMs: number;
}

/** Connects, and learns who leads what. Each try begins with another broker: one may not have heard of the topic yet. */
export async function openLink(options: LinkOptions, until: AbortSignal): Promise<Link> {
  for (let tries = 1; ; tries += 1) {
    const client = options.openClient({ requestTimeoutMs: options.requestTimeoutMs, retry: { retries: 0 } });
    try {
      return await linkOver(client, options, until);
    } catch (error) {
      if (tries >= client.seeds || !isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) throw error;
    }
  }
}

async function linkOver(client: Client, { topic, clock, limitMs, requestTimeoutMs }: LinkOptions, until: AbortSignal): Promise<Link> {
  const cluster = clusterOf(client.kafka);
  const hungUp = new AbortController();
  const asking = new Set<Promise<unknown>>();
  // Every question in flight listens.
  setMaxListeners(0, hungUp.signal);
  const hangUp = (): void => {
    if (hungUp.signal.aborted) return;
    hungUp.abort();
    client.close();
    void letGo(asking, () => cluster.disconnect());
  };
  const inTime = <T>(asked: Promise<T>, ms: number): Promise<T> => {
    const done = (): boolean => asking.delete(asked);
    asking.add(asked);
    asked.then(done, done);
    return timely(clock, ms, asked, hungUp.signal);
  };
  const answer = <T>(asked: Promise<T>): Promise<T> => inTime(asked, limitMs);
  until.addEventListener('abort', hangUp, { once: true });
  hungUp.signal.addEventListener('abort', () => until.removeEventListener('abort', hangUp));
  try {
    if (until.aborted) throw new LeadershipError('closed', 'it is closed');
    await answer(connectCluster(cluster, client));
    await answer(cluster.addTargetTopic(topic));
  } catch (error) {
    hangUp();
    throw kafkaError(error, `topic ${topic}`);
  }
  const leaders = leadersIn(cluster, topic);
  return {
    signal: hungUp.signal,
    admin: topicAdmin(cluster, topic, requestTimeoutMs, true),
    answer,
    get partitions() {
      return hungUp.signal.aborted ? 0 : leaders().size;
    },
    // Who has hung up knows nothing any more.
    leaderOf: (partition) => (hungUp.signal.aborted ? undefined : leaders().get(partition)),
    inTime,
    broker: (node) => answer(cluster.findBroker({ nodeId: String(node) })),
    offsetsOf: (partitions, which) => answer(offsetsOf(cluster, topic, partitions, which)),
    isGone: (ms) => isGone(cluster.getNodeIds().map((node) => inTime(isKnownTo(cluster, String(node), topic), ms))),
    refresh: () => answer(cluster.refreshMetadata()),
    endSilent: (ms) => void (client.endSilent(ms) || hangUp()),
    hangUp,
  };
}

/** Partition → leader, indexed once for each answer about the topic. */
function leadersIn(cluster: Cluster, topic: string): () => ReadonlyMap<number, number> {
  let of: readonly unknown[] | undefined;
  let leaders: ReadonlyMap<number, number> = new Map();
  return () => {
    const described = cluster.findTopicPartitionMetadata(topic);
    if (described !== of) leaders = new Map(described.map(({ partitionId, leader }) => [partitionId, leader]));
    of = described;
    return leaders;
  };
}

/** By what each of the brokers says, where it says anything. */
async function isGone(asked: readonly Promise<boolean>[]): Promise<boolean> {
  const said = await Promise.all(asked.map((one) => one.catch(() => undefined)));
  return said.includes(false) && !said.includes(true);
}

/** Rejects where the broker says neither. */
async function isKnownTo(cluster: Cluster, nodeId: string, topic: string): Promise<boolean> {
  const broker = await cluster.findBroker({ nodeId });
  try {
    await broker.metadata([topic]);
    return true;
  } catch (error) {
    if (isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return false;
    // It knows the topic well enough to miss a leader.
    if (isSaid(error, 'LEADER_NOT_AVAILABLE')) return true;
    throw error;
  }
}

async function offsetsOf(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
  which: 'start' | 'end',
): Promise<ReadonlyMap<number, bigint>> {
  const asked = { topic, partitions: partitions.map((partition) => ({ partition })), fromBeginning: which === 'start' };
  const [found] = await cluster.fetchTopicsOffset([asked]);
  const offsets = new Map(found?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  const missing = partitions.find((partition) => !offsets.has(partition));
  if (missing !== undefined) throw new LeadershipError('unreachable', `topic ${topic}: partition ${missing} has no leader`);
  return offsets;
}
