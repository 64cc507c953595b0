/** A term as its own member told of it. Instants are nanoseconds of the host's monotonic clock. */
export interface Reign {
  readonly member: string;
  /** Which process it was: one name may have many. */
  readonly life: string;
  readonly partition: number;
  readonly token: bigint;
  /** When it was told of. Later than it began, by any time that its member was stopped for. */
  readonly toldAtNs: bigint;
  /** What is certain of its belief; `undefined` where it was over before anyone could ask. */
  readonly belief: Belief | undefined;
  readonly end: ReignEnd | undefined;
  /** When its work began; `undefined` where the term ended before that. */
  readonly workedFromNs: bigint | undefined;
  /** When its work had settled. */
  readonly settledAtNs: bigint | undefined;
  /** When it was told of again, after it had lapsed or ended. */
  readonly revivedAtNs: bigint | undefined;
}

/** From one instant to another its member was, or would have been, told that it leads. Never more than the truth. */
export interface Belief {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** How a reign ended, where its member lived to tell. */
export interface ReignEnd {
  readonly kind: 'released' | 'fenced';
  readonly atNs: bigint;
}
