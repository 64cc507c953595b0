/**
 * Strings that a member publishes about itself, such as an address or a version. At most 1 KiB as
 * JSON.
 */
export type Metadata = Readonly<Record<string, string>>;

/**
 * The leader of a partition, as far as this member has read. It may be outdated by the time you use
 * it.
 */
export interface Leader {
  /** The name of the leader; it need not be unique (L2). */
  readonly member: string;
  /** Whether this source is the leader. */
  readonly self: boolean;
  /** The fencing number of its term (T1). */
  readonly token: bigint;
  /** The strings that the leader publishes about itself. */
  readonly metadata: Metadata;
}

/** The known leaders: partition → leader. Partitions without a known leader are absent. */
export type Roster = ReadonlyMap<number, Leader>;
