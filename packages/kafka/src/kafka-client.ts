// The port to a client library of Kafka: KafkaJS and @platformatic/kafka implement it.
import type { LogClientFactory } from './connection/log-client.ts';
import type { RunGroupSession } from './group/group-client.ts';

/** A configured client library of Kafka, as the rest of the adapter uses it. */
export interface KafkaClient extends LogClientFactory {
  readonly runGroupSession: RunGroupSession;
  /** Reports defects of the library: the known ones at once, others when they are found. */
  flaws?(report: (sentence: string) => void): void;
}
