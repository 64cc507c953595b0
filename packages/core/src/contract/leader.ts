/** Words a member publishes about itself: an address to redirect to, a version. At most 1 KiB as JSON. */
export type Metadata = Readonly<Record<string, string>>;

/** Who leads a partition, as far as this member has read. Advice: by the time you read it, another may. */
export interface Leader {
  readonly member: string;
  /** Whether it is this very source. */
  readonly self: boolean;
  readonly token: bigint;
  readonly metadata: Metadata;
}

/** Who leads what: partition → leader. Partitions nobody is known to lead are absent. */
export type Roster = ReadonlyMap<number, Leader>;
