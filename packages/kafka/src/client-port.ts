import type { StayInGroup } from './group-port.ts';
import type { LogClient, LogClientOptions } from './log-port.ts';

/** A client library of Kafka, configured: what the rest of the adapter knows of it. */
export interface KafkaClient {
  /** A client of one topic, which connects to nothing yet. */
  openLog(options: LogClientOptions): LogClient;
  readonly stayInGroup: StayInGroup;
  /** Reports what is wrong with the library itself: what is known, and what is found later. */
  flaws?(report: (sentence: string) => void): void;
}
