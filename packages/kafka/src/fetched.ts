// The content of a reply to a fetch, for both clients.

/** A record of a reply. */
export interface FetchedRecord {
  readonly offset: bigint;
  readonly value: Uint8Array | null;
  /** The time by which brokers find old records: by their own clock or, if the topic says so, by the writer's. Milliseconds since 1970. */
  readonly writtenMs: number;
  /** The same where it is the broker's for certain. */
  readonly stampedMs: number | undefined;
  /** The leader's epoch when it was appended; `undefined` in formats older than Kafka 0.11. */
  readonly epoch: number | undefined;
  /** Whether brokers wrote it about a transaction: no member's record. */
  readonly isControl: boolean;
  /** Where the next batch begins at the earliest. */
  readonly nextOffset: bigint;
}

/** The part of a reply about one partition. */
export interface FetchedPartition {
  readonly partition: number;
  /** As far as readers may see, as of the reply. */
  readonly highWatermark: bigint;
  /** Where the log starts, as of the reply. */
  readonly logStart: bigint;
  readonly records: readonly FetchedRecord[];
}
