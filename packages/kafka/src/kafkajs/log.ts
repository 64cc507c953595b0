// Reads and writes one topic through KafkaJS. The adapter gets KafkaJS's cluster from the factory
// of a custom assigner, and sends requests to its brokers.
import { LeadershipError } from '@leadership/core';
import kafkajs, { type Broker, type Cluster } from 'kafkajs';
import type {
  FetchFrom,
  FetchLimits,
  LogBroker,
  LogClient,
  LogClientOptions,
  PartitionAnswer,
  TopicPartition,
} from '../connection/log-client.ts';
import {
  acksOfAll,
  isTopicKnown,
  readUncommitted,
  timestampOf,
} from '../connection/log-requests.ts';
import { clusterOf, connectCluster, type Unpatched } from '../kafkajs-patches/cluster.ts';
import type { OpenClient } from './client.ts';
import { partitionsIn } from './replies.ts';

/** The requests of a broker that the types of KafkaJS leave out. */
interface AdminBroker extends Broker {
  createTopics(request: {
    readonly topics: readonly object[];
    readonly timeout: number;
  }): Promise<unknown>;
  describeConfigs(request: { readonly resources: readonly object[] }): Promise<Described>;
  deleteRecords(request: { readonly topics: readonly object[] }): Promise<unknown>;
  listOffsets(request: {
    readonly isolationLevel: number;
    readonly topics: readonly object[];
  }): Promise<Offsets>;
}

interface Described {
  readonly resources: readonly {
    readonly configEntries: readonly {
      readonly configName: string;
      readonly configValue: string;
    }[];
  }[];
}

interface Offsets {
  readonly responses: readonly {
    readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
  }[];
}

export function kafkajsLog(
  openClient: OpenClient,
  { topic, requestTimeoutMs }: LogClientOptions,
  unpatched: Unpatched,
): LogClient {
  const client = openClient({ requestTimeoutMs, retry: { retries: 0 } });
  const cluster = clusterOf(client.kafka, unpatched);
  let isTarget = false;
  return {
    seeds: client.seeds,
    connect: () => connectCluster(cluster, client),
    async refresh() {
      await (isTarget ? cluster.refreshMetadata() : cluster.addTargetTopic(topic));
      isTarget = true;
    },
    partitions: partitionsOf(cluster, topic),
    refreshNodes: () => cluster.refreshMetadata(),
    nodes: () => cluster.getNodeIds().map(Number),
    broker: async (node) =>
      kafkajsBroker(await cluster.findBroker({ nodeId: String(node) }), topic, node),
    controller: async () => kafkajsBroker(await cluster.findControllerBroker(), topic),
    endSilent: client.endSilent,
    close: client.close,
    disconnect: () => cluster.disconnect(),
  };
}

/** Returns the partitions of the topic. The list is the same until KafkaJS's metadata change. */
function partitionsOf(cluster: Cluster, topic: string): () => readonly TopicPartition[] {
  let of: readonly unknown[] | undefined;
  let partitions: readonly TopicPartition[] = [];
  return () => {
    const described = cluster.findTopicPartitionMetadata(topic);
    if (described !== of)
      partitions = described.map(({ partitionId, leader, replicas }) => ({
        partition: partitionId,
        leader,
        replicas: replicas.length,
      }));
    of = described;
    return partitions;
  };
}

/**
 * Returns a broker of KafkaJS for requests about one topic. `node`: the broker's number, for its
 * settings.
 */
export function kafkajsBroker(broker: Broker, topic: string, node = -1): LogBroker {
  return {
    fetch: (from, limits) => fetchOrEach(broker, topic, from, limits),
    async produce(records, timeoutMs) {
      const partitions = records.map(({ partition, values }) => ({
        partition,
        firstSequence: 0,
        messages: values.map((value) => ({ value })),
      }));
      await broker.produce({
        topicData: [{ topic, partitions }],
        acks: acksOfAll,
        timeout: Math.round(timeoutMs),
      });
    },
    async offsets(partitions, which) {
      const asked = partitions.map((partition) => ({ partition, timestamp: timestampOf[which] }));
      const { responses } = await toAdmin(broker).listOffsets({
        isolationLevel: readUncommitted,
        topics: [{ topic, partitions: asked }],
      });
      const found = responses.flatMap((response) => response.partitions);
      return new Map(found.map(({ partition, offset }) => [partition, BigInt(offset)]));
    },
    knowsTopic: () => isTopicKnown(broker.metadata([topic])),
    async createTopic({ partitions: numPartitions, replicas, settings }, timeoutMs) {
      const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
      const topics = [{ topic, numPartitions, replicationFactor: replicas, configEntries }];
      await toAdmin(broker).createTopics({ topics, timeout: timeoutMs });
    },
    settings(of, configNames) {
      const [type, name] =
        of === 'topic'
          ? [kafkajs.ConfigResourceTypes.TOPIC, topic]
          : [kafkajs.ConfigResourceTypes.BROKER, String(node)];
      return settingsIn(toAdmin(broker), { type, name, configNames });
    },
    async deleteRecords(partition, below) {
      await toAdmin(broker).deleteRecords({
        topics: [{ topic, partitions: [{ partition, offset: String(below) }] }],
      });
    },
  };
}

/**
 * KafkaJS rejects the whole request if one partition fails, and does not say which: then each
 * partition is fetched by itself.
 */
async function fetchOrEach(
  broker: Broker,
  topic: string,
  from: readonly FetchFrom[],
  limits: FetchLimits,
): Promise<readonly PartitionAnswer[]> {
  try {
    return await fetch(broker, topic, from, limits);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    const [only, ...others] = from;
    if (only !== undefined && others.length === 0) return [{ partition: only.partition, error }];
    const answers = await Promise.all(
      from.map((one) => fetchOrEach(broker, topic, [one], { ...limits, waitMs: 0 })),
    );
    return answers.flat();
  }
}

async function fetch(
  broker: Broker,
  topic: string,
  from: readonly FetchFrom[],
  { waitMs, minBytes = 1, replyBytes, partitionBytes }: FetchLimits,
): Promise<readonly PartitionAnswer[]> {
  const partitions = from.map(({ partition, position }) => ({
    partition,
    fetchOffset: String(position),
    maxBytes: partitionBytes,
  }));
  const request = {
    maxWaitTime: Math.round(waitMs),
    minBytes,
    maxBytes: replyBytes,
    isolationLevel: readUncommitted,
  };
  const reply = await broker.fetch({ ...request, topics: [{ topic, partitions }] });
  return partitionsIn(reply).map((fetched) => ({ partition: fetched.partition, fetched }));
}

/** Returns whether a broker answered with this error, so that the connection works. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'KafkaJSProtocolError' || error.name === 'KafkaJSOffsetOutOfRange')
  );
}

async function settingsIn(
  broker: AdminBroker,
  resource: object,
): Promise<ReadonlyMap<string, string>> {
  const { resources } = await broker.describeConfigs({ resources: [resource] });
  return new Map(
    resources.flatMap(({ configEntries }) =>
      configEntries.map(({ configName, configValue }) => [configName, configValue]),
    ),
  );
}

function toAdmin(broker: Broker): AdminBroker {
  const isAdmin = ['createTopics', 'describeConfigs', 'deleteRecords', 'listOffsets'].every(
    (name) => name in broker,
  );
  if (!isAdmin)
    throw new LeadershipError(
      'misconfigured-backend',
      'this release of KafkaJS lacks administrative requests: install kafkajs@2.2.4',
    );
  return broker as AdminBroker;
}
