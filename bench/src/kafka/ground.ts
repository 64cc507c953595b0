import { randomUUID } from 'node:crypto';
import { type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { type Admin, Kafka, logLevel } from 'kafkajs';

/** A broker to measure on. Disposing leaves nothing on it. */
export interface Ground extends AsyncDisposable {
  /** In words. */
  readonly name: string;
  readonly brokers: readonly string[];
  /** Whether it allows sessions of `shortSessionMs`. */
  readonly allowsShortSessions: boolean;
  readonly kafka: Kafka;
  /** The name of a topic that nobody else uses. */
  named(what: string): string;
  /** The same, and the topic is made. */
  topic(what: string, partitions: number): Promise<string>;
}

/** The shortest session that goNELI was seen to keep. Milliseconds: a stock broker allows none below 6,000. */
export const shortSessionMs = 1500;

/** Starts a broker, or takes the one that the environment names. */
export async function openGround(): Promise<Ground> {
  // For goNELI's sake alone: our members ask for sessions that any broker allows. On a cluster that is not ours, nothing is set.
  const config = process.env['KAFKA_BROKERS'] ? {} : { config: { 'group.min.session.timeout.ms': shortSessionMs } };
  const cluster = await startKafka({ brokers: 1, proxied: false, ...config });
  const kafka = new Kafka({ ...cluster.client(), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  return groundOn(cluster, kafka, admin);
}

function groundOn(cluster: KafkaCluster, kafka: Kafka, admin: Admin): Ground {
  const names: string[] = [];
  const named = (what: string): string => {
    const name = `bench-${what}-${randomUUID().slice(0, 8)}`;
    names.push(name);
    return name;
  };
  return {
    name: cluster.name,
    brokers: cluster.bootstrap,
    allowsShortSessions: cluster.can.brokers,
    kafka,
    named,
    async topic(what, partitions) {
      const topic = named(what);
      await admin.createTopics({ topics: [{ topic, numPartitions: partitions }], waitForLeaders: false });
      for (let partition = 0; partition < partitions; partition += 1) await cluster.leaderOf(topic, partition);
      return topic;
    },
    async [Symbol.asyncDispose]() {
      const there = new Set(await admin.listTopics());
      const topics = names.filter((name) => there.has(name));
      if (topics.length > 0) await admin.deleteTopics({ topics });
      await admin.disconnect();
      await cluster[Symbol.asyncDispose]();
    },
  };
}
