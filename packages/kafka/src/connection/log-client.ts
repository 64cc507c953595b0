// The part of a client that reads and writes one topic: one request to one broker at a time. The
// callers of this port choose the broker, limit the time of an answer and interpret errors, once
// for all clients.
import type { FetchedPartition } from './fetched-partition.ts';

/** A partition as the brokers describe it. */
export interface TopicPartition {
  readonly partition: number;
  /** The number of the broker that leads it; -1 if none does. */
  readonly leader: number;
  readonly replicas: number;
}

/** A topic to be created. */
export interface TopicPlan {
  readonly partitions: number;
  readonly replicas: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** A partition, and the offset to read it from. */
export interface FetchFrom {
  readonly partition: number;
  readonly position: bigint;
}

/** The limits of one fetch. */
export interface FetchLimits {
  /** How long the broker may wait for new records, in milliseconds. */
  readonly waitMs: number;
  /** The fewest bytes of records for which it answers sooner. Default: 1. */
  readonly minBytes?: number;
  /** The largest reply. Bytes. */
  readonly replyBytes: number;
  /** The largest part of one partition in a reply. Bytes. */
  readonly partitionBytes: number;
}

/** A broker's answer about one partition. The `type` of an error is the protocol's name of it. */
export type PartitionAnswer =
  | { readonly partition: number; readonly fetched: FetchedPartition }
  | { readonly partition: number; readonly error: unknown };

/** Records for one partition, in order. */
export interface PartitionRecords {
  readonly partition: number;
  readonly values: readonly Buffer[];
}

/** One broker, for requests about one topic. The caller limits the time of each request. */
export interface LogBroker {
  /**
   * Reads uncommitted records too, so that all readers see the same. Rejects if the broker does not
   * answer.
   */
  fetch(from: readonly FetchFrom[], limits: FetchLimits): Promise<readonly PartitionAnswer[]>;
  /**
   * Resolves once all replicas in sync have the records, within `timeoutMs`. After a rejection each
   * record may be in the log or not.
   */
  produce(records: readonly PartitionRecords[], timeoutMs: number): Promise<void>;
  /**
   * Returns the offset at which each partition's log starts, or the offset of the record that is
   * appended next.
   */
  offsets(
    partitions: readonly number[],
    which: 'start' | 'end',
  ): Promise<ReadonlyMap<number, bigint>>;
  /** Returns whether this broker knows the topic. Rejects if its answer leaves that open. */
  knowsTopic(): Promise<boolean>;
  /** Creates the topic. Only the controller can. */
  createTopic(plan: TopicPlan, timeoutMs: number): Promise<void>;
  /**
   * Returns settings of the topic or of this broker, without those that the broker does not know.
   */
  settings(of: 'topic' | 'broker', names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Removes the records of a partition below that offset. */
  deleteRecords(partition: number, below: bigint): Promise<void>;
}

/** A client of the brokers of one topic, which has connections of its own. */
export interface LogClient {
  /**
   * The number of brokers in the configuration: the number of attempts that may be needed to find
   * one that answers.
   */
  readonly seeds: number;
  /** Connects to the first broker that answers. */
  connect(): Promise<void>;
  /**
   * Requests the leaders of the topic's partitions. Rejects with UNKNOWN_TOPIC_OR_PARTITION if the
   * topic does not exist.
   */
  refresh(): Promise<void>;
  /** The partitions of the topic, as of the last {@link refresh}; the same list until then. */
  partitions(): readonly TopicPartition[];
  /** Requests the list of brokers, whether the topic exists or not. */
  refreshNodes(): Promise<void>;
  /** The numbers of the known brokers. */
  nodes(): readonly number[];
  /** Connects to a broker. */
  broker(node: number): Promise<LogBroker>;
  /** Connects to the controller. */
  controller(): Promise<LogBroker>;
  /**
   * Ends the connections that received nothing for that time, and rejects their requests. Returns
   * whether the client can do that.
   */
  endSilent(ms: number): boolean;
  /** Ends every connection at once, and opens no other. */
  close(): void;
  /** Releases the client, once no request is in flight. */
  disconnect(): Promise<void>;
}

/** The purpose of a client of a topic. */
export interface LogClientOptions {
  readonly topic: string;
  /**
   * The time that an answer may take before the client itself rejects the request. Milliseconds.
   */
  readonly requestTimeoutMs: number;
}

/** Opens clients of one configuration. */
export interface LogClientFactory {
  /** Returns a client of one topic, which is not connected yet. */
  openLog(options: LogClientOptions): LogClient;
}
