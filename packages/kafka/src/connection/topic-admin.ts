// Administrative requests about one topic. Every request names the topic, and goes to connected
// brokers.
import { hasErrorType } from '../errors.ts';
import type { LogBroker, LogClient, TopicPartition, TopicPlan } from './log-client.ts';

/** Reads and changes one topic. The caller limits the time of each call. */
export interface TopicAdmin {
  /** Requests the partitions of the topic; `undefined` if there is no such topic. */
  find(): Promise<readonly TopicPartition[] | undefined>;
  /** Requests the number of brokers. */
  brokers(): Promise<number>;
  create(plan: TopicPlan): Promise<void>;
  /**
   * Returns settings of the topic from the first broker that answers, without those that it does
   * not know.
   */
  topicSettings(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns settings of the first broker that answers. */
  brokerSettings(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Removes the records of a partition below that offset. */
  cut(partition: number, below: bigint): Promise<void>;
}

/** The number of brokers that receive the same request at once: one that hangs delays nothing. */
const askedMax = 3;

/** `createMs`: how long the controller may take to create the topic, in milliseconds. */
export function topicAdmin(client: LogClient, createMs: number): TopicAdmin {
  /** Leaders first: they are alive. */
  const ofAnyBroker = async (
    ask: (broker: LogBroker) => Promise<ReadonlyMap<string, string>>,
  ): Promise<ReadonlyMap<string, string>> => {
    const leaders = client.partitions().flatMap(({ leader }) => (leader >= 0 ? [leader] : []));
    const nodes = [...new Set([...leaders, ...client.nodes()])].slice(0, askedMax);
    return Promise.any(nodes.map(async (node) => ask(await client.broker(node))));
  };
  return {
    async find() {
      try {
        await client.refresh();
        return client.partitions();
      } catch (error) {
        if (hasErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return undefined;
        throw error;
      }
    },
    async brokers() {
      await client.refreshNodes();
      return client.nodes().length;
    },
    create: async (plan) => (await client.controller()).createTopic(plan, createMs),
    topicSettings: (names) => ofAnyBroker((broker) => broker.settings('topic', names)),
    brokerSettings: (names) => ofAnyBroker((broker) => broker.settings('broker', names)),
    async cut(partition, below) {
      const leader = client.partitions().find((one) => one.partition === partition)?.leader ?? -1;
      await (await client.broker(leader)).deleteRecords(partition, below);
    },
  };
}
