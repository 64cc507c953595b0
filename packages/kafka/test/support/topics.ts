import type { KafkaCluster } from '@leadership/tools/kafka';
import { type Admin, type ITopicConfig, Kafka, logLevel } from 'kafkajs';

/** Does something to the topics of a cluster, past its members. */
export async function administered<T>(kafka: KafkaCluster, act: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Kafka({ brokers: [...kafka.direct], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await act(admin);
  } finally {
    await admin.disconnect();
  }
}

export async function makeTopic(kafka: KafkaCluster, config: ITopicConfig): Promise<void> {
  await administered(kafka, (admin) => admin.createTopics({ topics: [config], waitForLeaders: true }));
}

export async function deleteTopic(kafka: KafkaCluster, topic: string): Promise<void> {
  await administered(kafka, (admin) => admin.deleteTopics({ topics: [topic] }));
}
