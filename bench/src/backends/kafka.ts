// The Kafka backend as the benchmarks of elections use it: starts a broker, or uses the one that
// `KAFKA_BROKERS` names, and creates a topic for each group. A round trip is a record that one
// connection produces with the durability of a member's, and another one reads with a long-polling
// fetch.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createTopic, hasKafka, startKafka } from '@leadership/tools/kafka';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { goneliOn, shortSessionMs } from '../peers/goneli.ts';
import type { Backend, GroupSize, OpenBackend, RequestCounter, RoundTrip } from './backend.ts';

/** The backend on one broker. */
export interface OpenKafka extends OpenBackend {
  readonly brokers: readonly string[];
  readonly kafka: Kafka;
  /** Whether the broker allows sessions of `shortSessionMs`. */
  readonly allowsShortSessions: boolean;
  /** Returns the unique name of a topic, which is also that of its group. */
  topic(group: string): string;
  /** Creates the topic of a group with one partition. Resolves with its name. */
  createdTopic(group: string): Promise<string>;
}

/** The backend of one broker. */
export const kafka: Backend<OpenKafka> = {
  name: 'kafka',
  isOffered: () => hasKafka({ brokers: 1 }),
  open,
  // One round trip for the claim, and the delays of a busy machine.
  failover: {
    thresholds: 1.05,
    roundTrip: { quantile: 0.5, slackMs: 50 },
    // A new member doubts its first reading for T (M6).
    rest: { least: 2, spread: 1 / 3 },
  },
  handover: {
    members: 2,
    by: 'p50',
    limit: { roundTrips: 3, slackMs: 0 },
    // One, after the same pause as a hand-over, so that caches are equally cold.
    roundTrip: { what: 'one record produced and fetched', count: 1 },
  },
};

async function open(): Promise<OpenKafka> {
  // Only goNELI needs the short session; our members use sessions that every broker allows. A given
  // cluster is not changed.
  const config = process.env['KAFKA_BROKERS']
    ? {}
    : { config: { 'group.min.session.timeout.ms': shortSessionMs } };
  const cluster = await startKafka({ brokers: 1, proxied: false, ...config });
  const client = new Kafka({
    ...cluster.client(),
    logLevel: logLevel.NOTHING,
    // Nagle's algorithm is disabled, because it would slow down the baseline.
    socketFactory: ({ host, port, onConnect }) => connect({ host, port, noDelay: true }, onConnect),
  });
  const admin = client.admin();
  await admin.connect();
  const topics = new Map<string, string>();
  const topic = (group: string): string => {
    const name = topics.get(group) ?? `bench-${group}-${randomUUID().slice(0, 8)}`;
    topics.set(group, name);
    return name;
  };
  const createdTopic = async (group: string): Promise<string> => {
    await createTopic(admin, { topic: topic(group), numPartitions: 1 });
    return topic(group);
  };
  let echo: Promise<Echo> | undefined;
  const opened: OpenKafka = {
    place: cluster.name,
    brokers: cluster.bootstrap,
    kafka: client,
    allowsShortSessions: cluster.can.brokers,
    topic,
    createdTopic,
    address: (group) => ({
      url: `kafka://${cluster.bootstrap.join()}/${topic(group)}?topic=${topic(group)}`,
    }),
    async roundTrip() {
      echo ??= createdTopic('echo').then((name) => openEcho(client, name));
      return (await echo).roundTrip();
    },
    requests: recordCounter(admin, () => [...topics.values()]),
    peers: () => goneliOn(opened),
    async [Symbol.asyncDispose]() {
      await (await echo)?.[Symbol.asyncDispose]();
      await remove(admin, [...topics.values()]);
      await cluster[Symbol.asyncDispose]();
    },
  };
  return opened;
}

async function remove(admin: Admin, names: readonly string[]): Promise<void> {
  const topics = await present(admin, names);
  if (topics.length > 0) await admin.deleteTopics({ topics: [...topics] });
  await admin.disconnect();
}

async function present(admin: Admin, names: readonly string[]): Promise<readonly string[]> {
  const there = new Set(await admin.listTopics());
  return names.filter((name) => there.has(name));
}

/** The greatest number of partitions of a topic that a group uses. */
const shardsMax = 3;

/** Counts the records of topics by their ends. Reading is not counted. */
function recordCounter(admin: Admin, names: () => readonly string[]): RequestCounter {
  return {
    words: { writes: 'records' },
    documented: documentedRecords,
    async count() {
      const topics = await present(admin, names());
      const ends = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
      return { writes: ends.flat().reduce((sum, { high }) => sum + Number(high), 0) };
    },
  };
}

/** In each partition of the topic a leader appends three records every T, and another candidate two. */
export function documentedRecords({ partitions, members }: GroupSize): { readonly writes: number } {
  const shards = Math.min(partitions, shardsMax);
  const leading = Math.min(members, Math.ceil(partitions / shards));
  return { writes: shards * (3 * leading + 2 * (members - leading)) };
}

interface Echo extends AsyncDisposable {
  roundTrip(): Promise<RoundTrip>;
}

/** Round trips until the consumer reads and the code is compiled. */
const warmUps = 20;

async function openEcho(client: Kafka, topic: string): Promise<Echo> {
  const producer = client.producer({ allowAutoTopicCreation: false });
  const consumer = client.consumer({ groupId: topic, allowAutoTopicCreation: false });
  let onRecord = (): void => undefined;
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve(onRecord()) });
  const roundTrip = async (): Promise<RoundTrip> => {
    const read = new Promise<void>((resolve) => {
      onRecord = resolve;
    });
    const began = performance.now();
    const ms = read.then(() => performance.now() - began);
    await producer.send({ topic, acks: -1, messages: [{ value: 'x'.repeat(300) }] });
    return { ms: await ms };
  };
  for (let time = 0; time < warmUps; time += 1) await roundTrip();
  return {
    roundTrip,
    async [Symbol.asyncDispose]() {
      await Promise.all([producer.disconnect(), consumer.disconnect()]);
    },
  };
}
