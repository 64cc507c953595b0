import { randomUUID } from 'node:crypto';
import { createTopic, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { type Admin, Kafka, logLevel } from 'kafkajs';

/** A broker to measure on. Disposing deletes the topics of the benchmark. */
export interface Environment extends AsyncDisposable {
  /** A description for the table. */
  readonly name: string;
  readonly brokers: readonly string[];
  /** Whether the broker allows session timeouts of `shortSessionMs`. */
  readonly allowsShortSessions: boolean;
  readonly kafka: Kafka;
  /** Returns a unique topic name. */
  named(what: string): string;
  /** Creates a topic with a unique name. Resolves with the name. */
  topic(what: string, partitions: number): Promise<string>;
}

/**
 * The shortest session timeout with which goNELI kept its leader, in milliseconds. By default, a
 * broker allows at least 6,000.
 */
export const shortSessionMs = 1500;

/** Starts a broker, or uses the one that `KAFKA_BROKERS` names. */
export async function openEnvironment(): Promise<Environment> {
  // Only goNELI needs the short session; our members use session timeouts that every broker allows.
  // A given cluster is not changed.
  const config = process.env['KAFKA_BROKERS']
    ? {}
    : { config: { 'group.min.session.timeout.ms': shortSessionMs } };
  const cluster = await startKafka({ brokers: 1, proxied: false, ...config });
  const kafka = new Kafka({ ...cluster.client(), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  return environmentOn(cluster, kafka, admin);
}

function environmentOn(cluster: KafkaCluster, kafka: Kafka, admin: Admin): Environment {
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
      await createTopic(admin, { topic, numPartitions: partitions });
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
