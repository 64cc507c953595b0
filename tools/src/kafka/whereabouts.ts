import { setTimeout as pause } from 'node:timers/promises';
import { type Admin, Kafka, logLevel } from 'kafkajs';

/** Which broker does what, by node id. */
export interface Whereabouts {
  leaderOf(topic: string, partition: number): Promise<number>;
  coordinatorOf(group: string): Promise<number>;
  /** All that are there. */
  brokers(): Promise<readonly number[]>;
}

/** Where a group's coordinator keeps what the group has committed: whoever leads the group's partition of it coordinates. */
const offsets = '__consumer_offsets';

/** How long is asked, and until when. */
export interface Patience {
  /** Default: twice what a stock cluster needs to notice a crash, as an answer may have to wait for a fail-over. Milliseconds. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** How long is waited before the next try. Milliseconds. */
const periodMs = 200;

/** For each try. A paused broker takes connections and never answers: the next one is asked soon. KafkaJS would wait for 30 s. */
const brief = { connectionTimeout: 1_000, requestTimeout: 2_000, retry: { retries: 0 }, logLevel: logLevel.NOTHING };

/** Asks the brokers at these addresses, of which some may be away. */
export function whereabouts(addresses: readonly string[], patience: Patience = {}): Whereabouts {
  const ask = <T>(question: (admin: Admin) => Promise<T>): Promise<T> =>
    patiently(patience, (tries) => asked(addresses[tries % addresses.length] ?? '', question));
  return {
    leaderOf: (topic, partition) => ask((admin) => leader(admin, topic, () => partition)),
    coordinatorOf: (group) =>
      ask(async (admin) => {
        // KafkaJS knows no broker to ask for a coordinator before it has asked for others; and the first to ask makes the topic be made.
        await admin.describeCluster();
        await admin.describeGroups([group]);
        return leader(admin, offsets, (partitions) => partitionOf(group, partitions));
      }),
    brokers: () => ask(async (admin) => (await admin.describeCluster()).brokers.map(({ nodeId }) => nodeId)),
  };
}

async function patiently<T>({ patienceMs = 20_000, signal }: Patience, question: (tries: number) => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await question(tries);
    } catch (error) {
      signal?.throwIfAborted();
      if (performance.now() > until) throw error;
      await pause(periodMs);
    }
  }
}

/** Of one broker at a time: without retries KafkaJS asks none but the first. */
async function asked<T>(address: string, question: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Kafka({ ...brief, clientId: 'whereabouts', brokers: [address] }).admin();
  try {
    await admin.connect();
    return await question(admin);
  } finally {
    await admin.disconnect();
  }
}

async function leader(admin: Admin, topic: string, choose: (partitions: number) => number): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const partitions = topics[0]?.partitions ?? [];
  const wanted = choose(partitions.length);
  const found = partitions.find(({ partitionId }) => partitionId === wanted);
  if (!found) throw new Error(`${topic} has no partition ${wanted}`);
  return found.leader;
}

/** As Kafka does it: Java's hash of the string, without its sign. */
export function partitionOf(group: string, partitions: number): number {
  let hash = 0;
  // By UTF-16 units, as Java counts.
  for (let index = 0; index < group.length; index += 1) hash = (Math.imul(31, hash) + group.charCodeAt(index)) | 0;
  return (hash & 0x7fffffff) % partitions;
}
