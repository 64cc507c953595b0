// A term of a member, from its log, for judging what happened.

/** A term as logged by its member. Instants are in nanoseconds of the host's monotonic clock. */
export interface TermRecord {
  /** The name of the leader. */
  readonly member: string;
  /** The incarnation: several processes may use the same name. */
  readonly life: string;
  /** The partition that it led. */
  readonly partition: number;
  /** The fencing number of the term. */
  readonly token: bigint;
  /** When the member logged the term. A stopped process logs it later than it began. */
  readonly notifiedAtNs: bigint;
  /**
   * The period in which `isLeading()` returned true, or would have. It is never longer than the
   * real period; `undefined` if the term ended before the first poll.
   */
  readonly belief:
    | {
        /** When the period began. Nanoseconds. */
        readonly fromNs: bigint;
        /** When the period ended. Nanoseconds. */
        readonly toNs: bigint;
        /**
         * The deadline of the proof that began the term. The member sent its claim one lease
         * earlier. `undefined` if its log lacks it.
         */
        readonly firstUntilNs: bigint | undefined;
      }
    | undefined;
  /** How the term ended, or `undefined` if its member logged no end. */
  readonly end:
    | {
        /** Whether it ended in order or at once. */
        readonly kind: 'released' | 'fenced';
        /** When the term ended. Nanoseconds. */
        readonly atNs: bigint;
      }
    | undefined;
  /** When the work began; `undefined` if the term ended earlier. */
  readonly workedFromNs: bigint | undefined;
  /** When the work settled. */
  readonly settledAtNs: bigint | undefined;
  /** When the member logged the term again after it had expired or ended. */
  readonly revivedAtNs: bigint | undefined;
}
