// What the adapter needs of a client to read and write one topic: one request to one broker at a time. Which broker is asked, how long an
// answer may take, and what an error means is decided once, by the callers of this port, for every client alike.
import type { FetchedPartition } from './fetched.ts';

/** A partition as the brokers describe it. */
export interface TopicPartition {
  readonly partition: number;
  /** The broker that leads it; -1 where none does. */
  readonly leader: number;
  readonly replicas: number;
}

/** A topic that is to be made. */
export interface TopicPlan {
  readonly partitions: number;
  readonly replicas: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** From where in which partition. */
export interface FetchFrom {
  readonly partition: number;
  readonly position: bigint;
}

/** What one fetch may take. */
export interface FetchLimits {
  /** How long the broker may wait for something new. Milliseconds. */
  readonly waitMs: number;
  /** The greatest reply. Bytes. */
  readonly replyBytes: number;
  /** The most of one partition. Bytes. */
  readonly partitionBytes: number;
}

/** What a broker answered about one partition. An error names what the broker said: `type` is the protocol's name of it. */
export type PartitionAnswer =
  | { readonly partition: number; readonly fetched: FetchedPartition }
  | { readonly partition: number; readonly error: unknown };

/** Records for one partition, in order. */
export interface PartitionRecords {
  readonly partition: number;
  readonly values: readonly Buffer[];
}

/** One broker, asked about one topic. Every request may take as long as it likes: its caller limits it. */
export interface LogBroker {
  /** Uncommitted records too, so that all readers see the same. Rejects where the broker did not answer. */
  fetch(from: readonly FetchFrom[], limits: FetchLimits): Promise<readonly PartitionAnswer[]>;
  /** Resolves once all replicas in sync have the records; they have `timeoutMs`. A rejection says nothing about any of the records. */
  produce(records: readonly PartitionRecords[], timeoutMs: number): Promise<void>;
  /** Where the logs of these partitions start, or what will be appended next would stand. */
  offsets(partitions: readonly number[], which: 'start' | 'end'): Promise<ReadonlyMap<number, bigint>>;
  /** Whether this broker knows the topic. Rejects where it says neither. */
  knowsTopic(): Promise<boolean>;
  /** Makes the topic; only the controller can. */
  make(plan: TopicPlan, timeoutMs: number): Promise<void>;
  /** Those settings of the topic, or of this broker. Names that the broker does not know are left out. */
  settings(of: 'topic' | 'broker', names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Removes the records of a partition below that offset. */
  deleteRecords(partition: number, below: bigint): Promise<void>;
}

/** A client of the brokers of one topic, which is not shared with anything else. */
export interface LogClient {
  /** How many brokers it was told of: so many tries may find the first that answers. */
  readonly seeds: number;
  /** Connects to the first broker that answers. */
  connect(): Promise<void>;
  /** Asks anew who leads what of the topic. Rejects with UNKNOWN_TOPIC_OR_PARTITION where there is no such topic. */
  refresh(): Promise<void>;
  /** The partitions of the topic, as of the last {@link refresh}; the same list until then. */
  partitions(): readonly TopicPartition[];
  /** Asks anew which brokers there are, topic or none. */
  refreshNodes(): Promise<void>;
  /** The brokers that are known. */
  nodes(): readonly number[];
  /** That broker, connected. */
  broker(node: number): Promise<LogBroker>;
  /** The controller, connected. */
  controller(): Promise<LogBroker>;
  /** Ends the connections on which nothing was received for so long, with an error for what is in flight. Returns whether that is possible. */
  endSilent(ms: number): boolean;
  /** Ends every connection at once, and lets none be opened any more. */
  close(): void;
  /** Releases what is left, once nothing is in flight. */
  disconnect(): Promise<void>;
}

/** What a client of a topic is for. */
export interface LogClientOptions {
  readonly topic: string;
  /** What an answer may take before the client itself gives it up. Milliseconds. */
  readonly requestTimeoutMs: number;
}
