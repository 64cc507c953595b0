import { createTopic } from '@leadership/tools/kafka';
import {
  type Cluster,
  Kafka,
  logLevel,
  type PartitionAssigner,
  PartitionAssigners,
  Partitioners,
} from 'kafkajs';
import type { KafkaCluster, KafkaOptions } from '../../src/kafka/index.ts';

/**
 * Broker settings with which a crash is noticed in two seconds instead of nine, so that tests are
 * faster.
 */
export const quickCrashDetection: NonNullable<KafkaOptions['config']> = {
  'broker.session.timeout.ms': 2_000,
  'broker.heartbeat.interval.ms': 500,
};

/**
 * Returns a client that connects through the proxies and retries until leaders and coordinators
 * have changed.
 */
export function clientOf(cluster: KafkaCluster, user?: string): Kafka {
  return new Kafka({ ...cluster.client(user), ...patient });
}

/**
 * Returns a client that gives up early, for tests that expect an error. Its retries may write a
 * record twice.
 */
export function impatientClientOf(
  cluster: KafkaCluster,
  changes: Partial<typeof impatient> = {},
): Kafka {
  return new Kafka({ ...cluster.client(), ...impatient, ...changes });
}

/** Resumes, repairs and restarts the brokers after the previous test. */
export async function restoreBrokers(cluster: KafkaCluster): Promise<void> {
  for (const broker of cluster.brokers) {
    broker.resume();
    broker.proxy?.mend();
  }
  await Promise.all(
    cluster.brokers.filter(({ isRunning }) => !isRunning).map((broker) => broker.start()),
  );
}

/** Returns a client that bypasses the proxies. */
export function directClientOf(cluster: KafkaCluster): Kafka {
  return new Kafka({ brokers: [...cluster.direct], ...patient });
}

/**
 * KafkaJS repeats a write after a timeout, so the timeouts are long enough for a starved broker.
 * All attempts and pauses together stay below the timeout of a test: 8 × 10 s, and about 15 s of
 * pauses.
 */
const patient = {
  connectionTimeout: 10_000,
  requestTimeout: 10_000,
  logLevel: logLevel.NOTHING,
  retry: { retries: 7, initialRetryTime: 300, maxRetryTime: 3_000 },
};
const impatient = {
  connectionTimeout: 3_000,
  requestTimeout: 3_000,
  logLevel: logLevel.NOTHING,
  retry: { retries: 1, initialRetryTime: 100 },
};

/** Creates a topic with one partition. */
export async function makeTopic(
  kafka: Kafka,
  topic: string,
  replicas = 1,
  config: Record<string, string> = {},
): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    await createTopic(admin, {
      topic,
      numPartitions: 1,
      replicationFactor: replicas,
      configEntries,
    });
  } finally {
    await admin.disconnect();
  }
}

/** Writes one record. Resolves once every replica has it. */
export async function writeRecord(kafka: Kafka, topic: string, value: string): Promise<void> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  try {
    await producer.connect();
    await producer.send({ topic, acks: -1, messages: [{ partition: 0, value }] });
  } finally {
    await producer.disconnect();
  }
}

/** Resolves with the first `count` values of a topic, read as a member of a new group. */
export async function readValues(
  kafka: Kafka,
  topic: string,
  count: number,
): Promise<readonly string[]> {
  // If the response to a join is lost, the next join waits until the member's session times out.
  // Use the shortest allowed session.
  const consumer = kafka.consumer({
    groupId: `readers-${Math.random()}`,
    sessionTimeout: 6_000,
    rebalanceTimeout: 6_000,
  });
  const values: string[] = [];
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({
        message,
      }: {
        readonly message: { readonly value: Buffer | null };
      }): Promise<void> => {
        values.push(String(message.value));
        if (values.length === count) resolve();
      };
      consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
        // KafkaJS restarts the consumer itself while it looks for the coordinator or the
        // coordinator loads the group.
        if (!restart) reject(error);
      });
      consumer.run({ eachMessage }).catch(reject);
    });
    return values;
  } finally {
    await consumer.disconnect();
  }
}

/** Resolves with the number of records ever written to a topic, including deleted ones. */
export async function endOffset(kafka: Kafka, topic: string): Promise<number> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const [partition] = await admin.fetchTopicOffsets(topic);
    if (partition === undefined) throw new Error(`Kafka returned no offsets of topic ${topic}`);
    return Number(partition.high);
  } finally {
    await admin.disconnect();
  }
}

/** Resolves with the node id of the group's coordinator, as Kafka reports it to a member. */
export async function coordinatorByKafka(kafka: Kafka, groupId: string): Promise<number> {
  let found: Cluster | undefined;
  const assigner: PartitionAssigner = (parts) => {
    found = parts.cluster;
    return PartitionAssigners.roundRobin(parts);
  };
  const consumer = kafka.consumer({ groupId, partitionAssigners: [assigner] });
  try {
    await consumer.connect();
    await found?.metadata();
    const { coordinator } = (await found?.findGroupCoordinatorMetadata({ groupId })) ?? {};
    if (coordinator === undefined)
      throw new Error(`Kafka named no coordinator of group ${groupId}`);
    return coordinator.nodeId;
  } finally {
    await consumer.disconnect();
  }
}
