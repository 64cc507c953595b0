// The records of one partition in a broker's answer, in one form for both clients.

/** A record of a reply. */
export interface FetchedRecord {
  readonly offset: bigint;
  readonly value: Uint8Array | null;
  /**
   * The time stamp that the brokers' retention uses: the broker's time or, depending on the topic,
   * the writer's. Milliseconds since 1970.
   */
  readonly writtenMs: number;
  /** The same time stamp if the broker is known to have set it. */
  readonly stampedMs: number | undefined;
  /** The leader epoch of the append; `undefined` in formats older than Kafka 0.11. */
  readonly epoch: number | undefined;
  /** Whether it is a control record: a broker wrote it for a transaction, not a member. */
  readonly isControl: boolean;
  /** The lowest offset at which the next batch can start. */
  readonly nextOffset: bigint;
}

/** The part of a reply about one partition. */
export interface FetchedPartition {
  readonly partition: number;
  /** The end of the records that readers may see, at the time of the reply. */
  readonly highWatermark: bigint;
  /** The start of the log, at the time of the reply. */
  readonly logStart: bigint;
  readonly records: readonly FetchedRecord[];
}
