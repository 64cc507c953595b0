import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { startKafka } from '../kafka/start-kafka.ts';
import { answerWatch } from './answer-watch.ts';
import type { Venue } from './backends.ts';
import { processActor } from './process-actor.ts';

/** A topic of its own: on the brokers that the environment names, or on one that is started for it. */
export async function kafkaVenue(signal: AbortSignal): Promise<Venue> {
  process.stderr.write('leadership: starting Apache Kafka, some seconds …\n');
  const cluster = await startKafka({ brokers: 1, proxied: false, signal });
  const topic = `leadership-demo-${randomUUID()}`;
  const admin = new Kafka({ ...cluster.client(), logLevel: logLevel.NOTHING, retry: { retries: 0 } }).admin();
  try {
    // A new broker makes the topic that groups are kept in when the first is asked for, and refuses members meanwhile.
    await cluster.coordinatorOf(topic);
    await admin.connect();
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  const answers = answerWatch(() => admin.describeCluster());
  return {
    backend: 'kafka',
    url: `kafka://${cluster.bootstrap.join()}/demo?topic=${topic}&topicCheck=safety`,
    start: processActor,
    crashed: 'killed (SIGKILL)',
    home: `processes of their own, on ${cluster.name}`,
    answers,
    async [Symbol.asyncDispose]() {
      answers[Symbol.dispose]();
      // A topic that was never made cannot be deleted, and brokers that are gone delete nothing.
      await admin.deleteTopics({ topics: [topic] }).catch(() => undefined);
      await admin.disconnect();
      await cluster[Symbol.asyncDispose]();
    },
  };
}
