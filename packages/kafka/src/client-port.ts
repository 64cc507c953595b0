import type { StayInGroup } from './group-port.ts';
import type { LogClient, LogClientOptions } from './log-port.ts';

/** A configured client library of Kafka, as the rest of the adapter uses it. */
export interface KafkaClient {
  /** Returns a client of one topic, which is not connected yet. */
  openLog(options: LogClientOptions): LogClient;
  readonly stayInGroup: StayInGroup;
  /** Reports defects of the library: the known ones at once, others when they are found. */
  flaws?(report: (sentence: string) => void): void;
}
