// The port that a store implements to become a backend: named texts that are read all at once and
// replaced on a condition.

/** A conditional change of one row. */
export interface RowChange {
  /** The name of the row. It is unique within the group. */
  readonly name: string;
  /** The text that the row must hold for the change to happen; `null` if the row must not exist. */
  readonly expected: string | null;
  /** The new text; `null` removes the row, and then `expected` is a text. */
  readonly text: string | null;
  /**
   * Whether other members wait for this change. A store that can notify its readers does so for
   * these changes; the others are found by polling soon enough.
   */
  readonly isAwaited: boolean;
}

/** The outcome of a conditional change. */
export interface RowOutcome {
  /** Whether the row held the expected text and was changed. */
  readonly isDone: boolean;
  /**
   * If the row was not changed: the text that it holds instead, `null` if it does not exist. Leave
   * it out if the store does not return it in the same request; core then reads the rows.
   */
  readonly found?: string | null;
}

/** A changed row that came with a notification. */
export interface DeliveredRow {
  readonly name: string;
  readonly text: string;
}

/** How to open the store. */
export interface RowsOpening {
  /** Aborts the requests. */
  readonly signal: AbortSignal;
  /**
   * Whether to create what the rows need and the store lacks. An observer creates nothing: if
   * something is missing, `open` resolves all the same, and `list` finds no rows until a member has
   * created it.
   */
  readonly mayCreate: boolean;
}

/** How to read the rows. */
export interface RowsReading {
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /**
   * Whether an older state may be returned, for a store where such reads are cheaper. Only
   * observers allow it. Otherwise the read must return every change that was acknowledged before it
   * began.
   */
  readonly mayLag: boolean;
}

/**
 * The rows of one group in a store with compare-and-set. A new store implements only this
 * interface; `tableLedger` adds the rest. A row is a name and a text, and no name or text is
 * interpreted here. Keep the rows of different groups apart, for example by a key, a column or an
 * encoded prefix.
 *
 * Methods reject with a `LeadershipError` if the cause is known: `unauthorized` and
 * `misconfigured-backend` are final, and all other errors are retried. Every request gets a signal
 * that aborts at its deadline. Switch off the retries of a client library, because core retries
 * with fresh conditions.
 */
export interface Rows {
  /** How error messages name the store, as in `table "leases"`. */
  readonly name: string;
  /**
   * Prepares the store before the first read, again after reading has failed, and again once an
   * observer becomes a candidate: connects, checks or creates what the rows need. It limits its own
   * time.
   */
  open?(opening: RowsOpening): Promise<void>;
  /**
   * Reads all rows of the group with one request. Returns names and texts in any order. Writes
   * nothing, because observers call it.
   */
  list(reading: RowsReading): Promise<ReadonlyMap<string, string>>;
  /**
   * Changes one row if it holds the expected text, in one atomic step and one round trip. Resolves
   * with the outcome; rejects if the outcome is unknown.
   */
  replace(change: RowChange, signal: AbortSignal): Promise<RowOutcome>;
  /**
   * Calls `wake` whenever the rows may have changed, until the signal aborts. A notification makes
   * the reader read at once instead of at its next poll, so it may be lost, late or repeated. If it
   * carries the changed row, pass that row: a member then claims a released lease without a read.
   * Resolves once it listens, or once it is clear that it will only listen later; in any case soon.
   * Rejects only with an error that a person must fix.
   */
  listen?(wake: (row?: DeliveredRow) => void, signal: AbortSignal): Promise<void>;
  /** Releases all resources. No request is sent afterwards. */
  close(): void | Promise<void>;
}
