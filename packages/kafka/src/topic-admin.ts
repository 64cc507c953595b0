// What brokers are asked about one topic beside its records. Every question names the topic, and goes to brokers that are connected: the
// client's own admin asks for all topics first, and fails if any of them is ill.
import { LeadershipError } from '@leadership/core';
import kafkajs, { type Broker, type Cluster } from 'kafkajs';
import { isSaid } from './errors.ts';

/** A partition as the brokers describe it. */
export interface TopicPartition {
  readonly partition: number;
  /** The broker that leads it; -1 where none does. */
  readonly leader: number;
  readonly replicas: number;
}

/** A topic that is to be made. */
interface TopicPlan {
  readonly partitions: number;
  readonly replicas: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** Asks and changes one topic. What a call may take is up to its caller. */
export interface TopicAdmin {
  /** The partitions of the topic, asked anew; `undefined` where there is no such topic. */
  find(): Promise<readonly TopicPartition[] | undefined>;
  /** How many brokers there are. */
  brokers(): Promise<number>;
  make(plan: TopicPlan): Promise<void>;
  /** Those settings of the topic, by whichever broker answers first. Names that the broker does not know are left out. */
  topicSettings(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Those settings of whichever broker answers first. */
  brokerSettings(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Removes the records of a partition below that offset. */
  cut(partition: number, below: bigint): Promise<void>;
}

/** What a broker can do that the client's types leave out. */
interface AdminBroker extends Broker {
  createTopics(request: { readonly topics: readonly object[]; readonly timeout: number }): Promise<unknown>;
  describeConfigs(request: { readonly resources: readonly object[] }): Promise<Described>;
  deleteRecords(request: { readonly topics: readonly object[] }): Promise<unknown>;
}

interface Described {
  readonly resources: readonly { readonly configEntries: readonly { readonly configName: string; readonly configValue: string }[] }[];
}

/** How many brokers are asked the same at once: one that hangs holds nothing up. */
const askedMax = 3;

/** `makeMs`: how long the controller may take to make the topic. Milliseconds. `isTarget`: whether the cluster asks for that topic already. */
export function topicAdmin(cluster: Cluster, topic: string, makeMs: number, isTarget: boolean): TopicAdmin {
  let isAsked = isTarget;
  const broker = async (node: number): Promise<AdminBroker> => toAdmin(await cluster.findBroker({ nodeId: String(node) }));
  const partitions = (): readonly TopicPartition[] =>
    cluster
      .findTopicPartitionMetadata(topic)
      .map(({ partitionId, leader, replicas }) => ({ partition: partitionId, leader, replicas: replicas.length }));
  const find = async (): Promise<readonly TopicPartition[] | undefined> => {
    try {
      await (isAsked ? cluster.refreshMetadata() : cluster.addTargetTopic(topic));
      isAsked = true;
      return partitions();
    } catch (error) {
      if (isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return undefined;
      throw error;
    }
  };
  /** Leaders first: they are alive. */
  const ofAnyBroker = async (ask: (node: number) => Promise<ReadonlyMap<string, string>>): Promise<ReadonlyMap<string, string>> => {
    const leaders = partitions().flatMap(({ leader }) => (leader >= 0 ? [leader] : []));
    const nodes = [...new Set([...leaders, ...cluster.getNodeIds().map(Number)])].slice(0, askedMax);
    return Promise.any(nodes.map(ask));
  };
  return {
    find,
    async brokers() {
      await cluster.refreshMetadata();
      return cluster.getNodeIds().length;
    },
    async make({ partitions: numPartitions, replicas, settings }) {
      const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
      const controller = toAdmin(await cluster.findControllerBroker());
      await controller.createTopics({ topics: [{ topic, numPartitions, replicationFactor: replicas, configEntries }], timeout: makeMs });
    },
    topicSettings: (names) => ofAnyBroker(async (node) => settingsIn(await broker(node), kafkajs.ConfigResourceTypes.TOPIC, topic, names)),
    brokerSettings: (names) =>
      ofAnyBroker(async (node) => settingsIn(await broker(node), kafkajs.ConfigResourceTypes.BROKER, String(node), names)),
    async cut(partition, below) {
      const leader = partitions().find((one) => one.partition === partition)?.leader ?? -1;
      const topics = [{ topic, partitions: [{ partition, offset: String(below) }] }];
      await (await broker(leader)).deleteRecords({ topics });
    },
  };
}

async function settingsIn(
  broker: AdminBroker,
  type: number,
  name: string,
  configNames: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { resources } = await broker.describeConfigs({ resources: [{ type, name, configNames }] });
  return new Map(resources.flatMap(({ configEntries }) => configEntries.map(({ configName, configValue }) => [configName, configValue])));
}

function toAdmin(broker: Broker): AdminBroker {
  const isAdmin = ['createTopics', 'describeConfigs', 'deleteRecords'].every((name) => name in broker);
  if (!isAdmin) throw new LeadershipError('misconfigured-backend', 'this KafkaJS hands out brokers without administration: use 2.2');
  return broker as AdminBroker;
}
