import { createTopic, type KafkaCluster } from '@leadership/tools/kafka';
import { type Admin, type IResourceConfigEntry, type ITopicConfig, Kafka, logLevel } from 'kafkajs';
import { groupIdOf } from '../../src/group/group-sessions.ts';

/** Does something to the topics of a cluster, past its members. */
export async function administered<T>(
  kafka: Pick<KafkaCluster, 'direct'>,
  act: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = new Kafka({ brokers: [...kafka.direct], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await act(admin);
  } finally {
    await admin.disconnect();
  }
}

export async function makeTopic(kafka: KafkaCluster, config: ITopicConfig): Promise<void> {
  await administered(kafka, (admin) => createTopic(admin, config));
}

/**
 * Lists the consumer group of an election, and the topic with the number of records of each
 * partition.
 */
export function contentsOf(
  kafka: KafkaCluster,
  topic: string,
  group: string,
): Promise<readonly string[]> {
  return administered(kafka, async (admin) => {
    const { groups } = await admin.listGroups();
    const own = groups
      .map(({ groupId }) => groupId)
      .filter((id) => id === groupIdOf({ topic, group }));
    if (!(await admin.listTopics()).includes(topic)) return own;
    const offsets = await admin.fetchTopicOffsets(topic);
    const ends = offsets.map(({ partition, high }) => `${topic}, partition ${partition}: ${high}`);
    return [...own, topic, ...ends];
  });
}

export async function deleteTopic(kafka: KafkaCluster, topic: string): Promise<void> {
  await administered(kafka, (admin) => admin.deleteTopics({ topics: [topic] }));
}

/** A setting and its value. */
export type Entry = IResourceConfigEntry;

/** Kafka's number; KafkaJS' enum cannot be imported by name. */
const topicResource = 2;

/** Sets these, and takes every other setting back. */
export async function configure(
  kafka: KafkaCluster,
  topic: string,
  configEntries: Entry[],
): Promise<void> {
  const resources = [{ type: topicResource, name: topic, configEntries }];
  await administered(kafka, (admin) => admin.alterConfigs({ validateOnly: false, resources }));
}

/** The brokers that have everything of each partition. */
export function insyncOf(
  kafka: KafkaCluster,
  topic: string,
): Promise<readonly (readonly number[])[]> {
  return administered(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.map(({ isr }) => isr) ?? [];
  });
}
