// The connection to the cluster that reads and writes share: KafkaJS' own view of the cluster, which it hands to the factory of a
// custom assigner. Reads and writes travel on two sockets per broker, so that a long poll never delays a write.
import { setMaxListeners } from 'node:events';
import { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/backend';
import { type Broker, type Cluster, type Kafka, type PartitionAssigner, PartitionAssigners } from 'kafkajs';
import type { Client, OpenClient } from './client.ts';
import { isNamed, isSaid, kafkaError } from './errors.ts';
import { letGo } from './let-go.ts';
import { mendCluster } from './own-cluster.ts';
import { timely } from './timely.ts';

/** A connection, until it is hung up. */
export interface Link {
  /** Aborts once it is hung up. */
  readonly signal: AbortSignal;
  /** How many partitions the topic has. */
  readonly partitions: number;
  /** The broker that leads the partition of the topic, as far as is known. */
  leaderOf(partition: number): number | undefined;
  /** That broker, connected. */
  broker(node: number): Promise<Broker>;
  /** What a broker is asked over this link, until it is hung up; or `Unanswered`. Milliseconds. */
  inTime<T>(asked: Promise<T>, limitMs: number): Promise<T>;
  /** Where the log of a partition starts, or what will be appended next would stand. */
  offsetOf(partition: number, which: 'start' | 'end'): Promise<bigint>;
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

async function linkOver(client: Client, { topic, clock, limitMs }: LinkOptions, until: AbortSignal): Promise<Link> {
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
    await answer(connect(cluster, client));
    await answer(cluster.addTargetTopic(topic));
  } catch (error) {
    hangUp();
    throw kafkaError(error, `topic ${topic}`);
  }
  return {
    signal: hungUp.signal,
    get partitions() {
      return hungUp.signal.aborted ? 0 : cluster.findTopicPartitionMetadata(topic).length;
    },
    leaderOf(partition) {
      // Who has hung up knows nothing any more.
      if (hungUp.signal.aborted) return undefined;
      return cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === partition)?.leader;
    },
    inTime,
    broker: (node) => answer(cluster.findBroker({ nodeId: String(node) })),
    offsetOf: (partition, which) => answer(offsetOf(cluster, topic, partition, which)),
    isGone: (ms) => isGone(cluster.getNodeIds().map((node) => inTime(isKnownTo(cluster, String(node), topic), ms))),
    refresh: () => answer(cluster.refreshMetadata()),
    endSilent: (ms) => void (client.endSilent(ms) || hangUp()),
    hangUp,
  };
}

/** Each try that fails to connect goes to the next of the brokers it was told of. */
async function connect(cluster: Cluster, { seeds }: Client): Promise<void> {
  for (let left = seeds; ; left -= 1) {
    try {
      return await cluster.connect();
    } catch (error) {
      if (left <= 1 || !isNamed(error, 'KafkaJSConnectionError', 'KafkaJSConnectionClosedError', 'KafkaJSRequestTimeoutError')) throw error;
    }
  }
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

async function offsetOf(cluster: Cluster, topic: string, partition: number, which: 'start' | 'end'): Promise<bigint> {
  const [found] = await cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], fromBeginning: which === 'start' }]);
  const offset = found?.partitions.find((one) => one.partition === partition)?.offset;
  if (offset === undefined) throw new LeadershipError('unreachable', `topic ${topic}: partition ${partition} has no leader`);
  return BigInt(offset);
}

/** The only typed way to a cluster: a consumer that is never started. It joins no group. */
function clusterOf(kafka: Kafka): Cluster {
  const found: Cluster[] = [];
  const capture: PartitionAssigner = (parts) => {
    found.push(parts.cluster);
    return PartitionAssigners.roundRobin(parts);
  };
  kafka.consumer({ groupId: 'unused', partitionAssigners: [capture], allowAutoTopicCreation: false });
  const [cluster] = found;
  if (cluster === undefined)
    throw new LeadershipError('misconfigured-backend', 'this KafkaJS does not hand its cluster to assigners: use 2.2');
  mendCluster(cluster);
  return cluster;
}
