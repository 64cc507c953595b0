// Prepares Kafka for the demo.
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { startKafka } from '../kafka/start-kafka.ts';
import { answerWatch } from './answer-watch.ts';
import type { DemoGroup } from './group.ts';

/**
 * Creates a topic for the demo, on the brokers that `KAFKA_BROKERS` names or on a broker that it
 * starts.
 */
export async function kafkaGroup(signal: AbortSignal): Promise<DemoGroup> {
  process.stderr.write('leadership: starting Apache Kafka, this takes some seconds …\n');
  const cluster = await startKafka({ brokers: 1, proxied: false, signal });
  const topic = `leadership-demo-${randomUUID()}`;
  const admin = new Kafka({
    ...cluster.client(),
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  const answers = answerWatch(() => admin.describeCluster());
  return {
    backend: 'kafka',
    url: `kafka://${cluster.bootstrap.join()}/demo?topic=${topic}&topicCheck=safety`,
    home: `separate processes, on ${cluster.name}`,
    answers,
    async [Symbol.asyncDispose]() {
      answers[Symbol.dispose]();
      // The deletion fails if no member created the topic or if the broker has stopped. Neither
      // needs a remedy.
      await admin.deleteTopics({ topics: [topic] }).catch(() => undefined);
      await admin.disconnect();
      await cluster[Symbol.asyncDispose]();
    },
  };
}
