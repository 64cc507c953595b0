import { type Cluster, Kafka, logLevel, type PartitionAssigner, PartitionAssigners, Partitioners } from 'kafkajs';
import type { KafkaCluster, KafkaOptions } from '../../src/kafka/index.ts';

/** A crash is noticed in two seconds instead of nine, so that tests do not wait. */
export const alert: NonNullable<KafkaOptions['config']> = { 'broker.session.timeout.ms': 2_000, 'broker.heartbeat.interval.ms': 500 };

/** A client of the cluster, through its proxies, that outlasts a change of leaders and coordinators. */
export function clientOf(cluster: KafkaCluster, user?: string): Kafka {
  return new Kafka({ ...cluster.client(user), ...patient });
}

/** One that is soon tired: for tests that wait for an error. What it writes may be written twice. */
export function tiredClientOf(cluster: KafkaCluster, changes: Partial<typeof tired> = {}): Kafka {
  return new Kafka({ ...cluster.client(), ...tired, ...changes });
}

/** Undoes what the test before may have left behind. */
export async function heal(cluster: KafkaCluster): Promise<void> {
  for (const broker of cluster.brokers) {
    broker.resume();
    broker.proxy?.mend();
  }
  await Promise.all(cluster.brokers.filter(({ isRunning }) => !isRunning).map((broker) => broker.start()));
}

/** A client past the proxies. */
export function directly(cluster: KafkaCluster): Kafka {
  return new Kafka({ brokers: [...cluster.direct], ...patient });
}

/**
 * KafkaJS writes again what is not answered in time: not before a starved broker has had its time. All tries together, and the pauses
 * between them, are over before a test's time-out: 8 × 10 s and a quarter of a minute. Milliseconds.
 */
const patient = {
  connectionTimeout: 10_000,
  requestTimeout: 10_000,
  logLevel: logLevel.NOTHING,
  retry: { retries: 7, initialRetryTime: 300, maxRetryTime: 3_000 },
};
const tired = { connectionTimeout: 3_000, requestTimeout: 3_000, logLevel: logLevel.NOTHING, retry: { retries: 1, initialRetryTime: 100 } };

/** One partition. */
export async function makeTopic(kafka: Kafka, topic: string, replicas = 1, config: Record<string, string> = {}): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: replicas, configEntries }] });
  } finally {
    await admin.disconnect();
  }
}

/** Writes one record that every replica has when this resolves. */
export async function write(kafka: Kafka, topic: string, value: string): Promise<void> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  try {
    await producer.connect();
    await producer.send({ topic, acks: -1, messages: [{ partition: 0, value }] });
  } finally {
    await producer.disconnect();
  }
}

/** The first `count` values of a topic, read as a member of a new group. */
export async function read(kafka: Kafka, topic: string, count: number): Promise<readonly string[]> {
  // A join whose answer was lost leaves a member behind, that the next join waits for: the shortest session that a broker allows.
  const consumer = kafka.consumer({ groupId: `readers-${Math.random()}`, sessionTimeout: 6_000, rebalanceTimeout: 6_000 });
  const values: string[] = [];
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({ message }: { readonly message: { readonly value: Buffer | null } }): Promise<void> => {
        values.push(String(message.value));
        if (values.length === count) resolve();
      };
      consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
        // It begins again by itself while a group's coordinator is being found or loading.
        if (!restart) reject(error);
      });
      consumer.run({ eachMessage }).catch(reject);
    });
    return values;
  } finally {
    await consumer.disconnect();
  }
}

/** How many records a topic has, the ones that were deleted included. */
export async function end(kafka: Kafka, topic: string): Promise<number> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const [partition] = await admin.fetchTopicOffsets(topic);
    return Number(partition?.high);
  } finally {
    await admin.disconnect();
  }
}

/** The node id of the group's coordinator, as Kafka tells a member of it. */
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
    return coordinator?.nodeId ?? Number.NaN;
  } finally {
    await consumer.disconnect();
  }
}
