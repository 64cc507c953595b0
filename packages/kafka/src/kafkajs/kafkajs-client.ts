import type { KafkaClient } from '../kafka-client.ts';
import { clientsOf, type KafkaJsClient } from './client.ts';
import { runGroupSession } from './group.ts';
import { kafkajsLog } from './log.ts';

/** Returns the adapter's client over KafkaJS, from a configuration or a KafkaJS client. */
export function kafkajsClient(kafka: KafkaJsClient): KafkaClient {
  const openClient = clientsOf(kafka);
  const flaws = new Set<string>();
  let report: ((sentence: string) => void) | undefined;
  const unpatched = (otherwise: string): void => {
    const sentence = `this release of KafkaJS differs from 2.2, and a patch for it cannot be applied: ${otherwise}; install kafkajs@2.2.4`;
    flaws.add(sentence);
    report?.(sentence);
  };
  return {
    openLog: (options) => kafkajsLog(openClient, options, unpatched),
    runGroupSession: (options, signal) =>
      runGroupSession({ ...options, openClient, unpatched }, signal),
    flaws(reportNow) {
      report = reportNow;
      for (const sentence of flaws) reportNow(sentence);
    },
  };
}
