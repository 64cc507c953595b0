// Finds the broker that a test wants to kill: a controller, a coordinator, or the leader of a
// partition.
import { setTimeout as pause } from 'node:timers/promises';
import { type Admin, Kafka, logLevel } from 'kafkajs';

/** Finds the broker with a role in the cluster, by node id. */
export interface BrokerLookup {
  leaderOf(topic: string, partition: number): Promise<number>;
  coordinatorOf(group: string): Promise<number>;
  /** Resolves with the node ids of all brokers. */
  brokers(): Promise<readonly number[]>;
}

/**
 * The topic of committed offsets. The leader of a group's partition of this topic is the group's
 * coordinator.
 */
const offsets = '__consumer_offsets';

/** Twice the time that a cluster needs by default to notice a crash. Milliseconds. */
const timeoutMs = 20_000;
/** Pause between two attempts, in milliseconds. */
const periodMs = 200;

/**
 * Settings of one attempt. A paused broker accepts connections but never responds, so timeouts are
 * short. KafkaJS's default is 30 s.
 */
const brief = {
  connectionTimeout: 1_000,
  requestTimeout: 2_000,
  retry: { retries: 0 },
  logLevel: logLevel.NOTHING,
};

/** Queries the brokers at these addresses. Some of them may be unavailable. */
export function brokerLookup(addresses: readonly string[]): BrokerLookup {
  const ask = <T>(question: (admin: Admin) => Promise<T>): Promise<T> =>
    patiently((tries) => asked(addresses[tries % addresses.length] ?? '', question));
  return {
    leaderOf: (topic, partition) => ask((admin) => leader(admin, topic, () => partition)),
    coordinatorOf: (group) =>
      ask(async (admin) => {
        // KafkaJS needs the cluster's metadata before it can look up a coordinator. The first
        // lookup creates the offsets topic.
        await admin.describeCluster();
        await admin.describeGroups([group]);
        return leader(admin, offsets, (partitions) => partitionOf(group, partitions));
      }),
    brokers: () =>
      ask(async (admin) => (await admin.describeCluster()).brokers.map(({ nodeId }) => nodeId)),
  };
}

async function patiently<T>(question: (tries: number) => Promise<T>): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await question(tries);
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(periodMs);
    }
  }
}

/** Queries one broker. Without retries, KafkaJS only uses the first of several. */
async function asked<T>(address: string, question: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Kafka({ ...brief, clientId: 'leadership-tools', brokers: [address] }).admin();
  try {
    await admin.connect();
    return await question(admin);
  } finally {
    await admin.disconnect();
  }
}

async function leader(
  admin: Admin,
  topic: string,
  choose: (partitions: number) => number,
): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const partitions = topics[0]?.partitions ?? [];
  const wanted = choose(partitions.length);
  const found = partitions.find(({ partitionId }) => partitionId === wanted);
  if (!found) throw new Error(`${topic} has no partition ${wanted}`);
  return found.leader;
}

/** Returns the partition of a group as Kafka does: Java's hash of the string, without its sign. */
export function partitionOf(group: string, partitions: number): number {
  let hash = 0;
  // Java hashes UTF-16 code units.
  for (let index = 0; index < group.length; index += 1)
    hash = (Math.imul(31, hash) + group.charCodeAt(index)) | 0;
  return (hash & 0x7fffffff) % partitions;
}
