// What a reply to a fetch says, whichever client decoded it.

/** A record of a reply. */
export interface FetchedRecord {
  readonly offset: bigint;
  readonly value: Uint8Array | null;
  /** The time by which brokers tell what is old: their own clock or, where the topic says so, the writer's. Milliseconds since 1970. */
  readonly writtenMs: number;
  /** The same where it is the broker's for certain. */
  readonly stampedMs: number | undefined;
  /** The leader's epoch when it was appended; `undefined` in formats older than Kafka 0.11. */
  readonly epoch: number | undefined;
  /** Written by brokers about transactions: nobody's record. */
  readonly isControl: boolean;
  /** Where the next batch begins at the earliest. */
  readonly nextOffset: bigint;
}

/** What a reply holds of one partition. */
export interface FetchedPartition {
  readonly partition: number;
  /** As far as readers may see, as of the reply. */
  readonly highWatermark: bigint;
  /** Where the log starts, as of the reply. */
  readonly logStart: bigint;
  readonly records: readonly FetchedRecord[];
}
