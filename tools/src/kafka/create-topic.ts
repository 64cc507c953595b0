import { eventually } from '@leadership/testkit/adapter';
import type { Admin, ITopicConfig } from 'kafkajs';

/**
 * Creates a topic. Resolves once every partition of it has a leader. KafkaJS's own wait rejects if
 * a broker does not know the topic yet.
 */
export async function createTopic(admin: Admin, config: ITopicConfig): Promise<void> {
  const { topic } = config;
  await admin.createTopics({ topics: [config], waitForLeaders: false });
  await eventually(`${topic} is led`, async () => {
    const { topics } = await admin
      .fetchTopicMetadata({ topics: [topic] })
      .catch(() => ({ topics: [] }));
    return topics[0]?.partitions.every(({ leader }) => leader >= 0);
  });
}
