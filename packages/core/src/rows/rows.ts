/** A conditional change of one row. */
export interface RowChange {
  /** The name of the row. It is unique within the group. */
  readonly name: string;
  /** The text that the row must hold for the change to happen; `null` if the row must not exist. */
  readonly expected: string | null;
  /** The new text; `null` removes the row, and then `expected` is a text. */
  readonly text: string | null;
  /** Whether other members wait for this change: a store that can notify its readers does so. */
  readonly isAwaited?: boolean;
  /**
   * Whether other members report this change and need not act on it: a store whose notifications show
   * changes shows it, and any other store that can notify its readers does so.
   */
  readonly isAnnounced?: boolean;
}

/** A row as it was read: its name and its text; `null` if it does not exist. */
export type NamedText = readonly [name: string, text: string | null];

/** The request of a member to one copy of the store. */
export interface Exchange {
  /**
   * The changes, at most one of each row and at most `changesMax`. Each is made on its own condition:
   * one that is refused does not keep another one from being made.
   */
  readonly changes: readonly RowChange[];
  /**
   * The position of the last answer that this reader received. The store compares it with its own
   * history before it changes anything, or rejects if it finds out afterwards. `undefined` in the first request, which changes nothing.
   */
  readonly since: unknown;
  /** Whether all rows are wanted although the position is known. */
  readonly isWhole?: boolean;
  /**
   * Whether an older state may be returned, for a store where such reads are cheaper. Only
   * observers allow it, and never one older than this reader's last answer.
   */
  readonly mayLag?: boolean;
}

/** The answer of one copy of the store. */
export interface Exchanged {
  /**
   * Whether each change was made. None was if the position was lost. A change that was not made need
   * not be refused for its text: the row may be locked, as by a transaction. Then a later exchange
   * makes it.
   */
  readonly outcomes: readonly boolean[];
  /**
   * The rows that have changed since the position, each at most once, as they are after the changes;
   * where the store reads first, as they were before, or as one reading after all changes shows them. Rows
   * that have not changed may be among them.
   */
  readonly rows: readonly NamedText[];
  /**
   * Where the reader is now. Only the same `Rows` reads it; it is kept in memory and not sent. Any value
   * but `undefined`: a store that shows all rows each time, and cannot tell histories apart, needs none.
   */
  readonly position: unknown;
  /**
   * Whether rows that are missing do not exist, as in the first answer. Otherwise they are as this
   * reader knows them.
   */
  readonly isWhole: boolean;
  /**
   * Whether the position is of another history: acknowledged changes may be lost. Nothing was
   * changed, and the rows are all that there are.
   */
  readonly isRestarted?: boolean;
}

/** The abilities of a store. */
export interface RowsTraits {
  /** The number of changes in one request. At least 2. */
  readonly changesMax: number;
  /**
   * The longest time between two readings of a member without a session, if T/4 is too often.
   * Milliseconds.
   */
  readonly pollMs?: number;
  /**
   * Whether each change is a request of its own, so that rows may be those from before, and that some of them
   * may be made if an exchange has no answer.
   */
  readonly readsFirst?: boolean;
  /**
   * Whether changes that were acknowledged may have been lost before this reader reads for the first
   * time: it does not know (M6). True of a log without its tail, and of every store that can restart.
   */
  readonly isDoubtedAtFirst?: boolean;
}

/**
 * The greatest token of a group, kept where a wipe of the rows does not reach it (T1). A
 * member reads it before it claims a partition whose row is new. It raises it before it writes the first
 * record of each term; renewals need no call.
 */
export interface TokenFloor {
  /** Returns the greatest token that was ever raised; 0 if there is none. */
  read(signal: AbortSignal): Promise<bigint>;
  /**
   * Keeps `token` unless a greater one is kept. Resolves once the token is as durable as a record.
   * Other members may call this concurrently; the greatest token must win. The engine has at most
   * one call in flight.
   */
  raise(token: bigint, signal: AbortSignal): Promise<void>;
}

/**
 * The rows of one group in a store, as one member reads and changes them. A row is a name and a text,
 * and no text is ever used twice. A text has at most 64 KiB. Names and texts are Unicode without NUL
 * and lone surrogates, and are compared as they are, without a collation. A new store implements only
 * this interface.
 *
 * The order within one exchange: the position is compared first, then the changes are made, then the
 * rows are read, on one copy of the store, so that the answer contains every change that was
 * acknowledged before the request was sent. A change and the rows that it was compared with are of
 * one instant; a row that others changed while the request was under way may be missing, and then the
 * next answer shows it. An answer is one that no newer copy can have superseded before it; so where a
 * change needs several copies, an answer without their acknowledgement is none, and its rows neither.
 *
 * Methods reject with a `LeadershipError` if the cause is known: `unauthorized` and
 * `misconfigured-backend` need a person, and all other errors are retried. Switch off the retries of
 * a client library: a member repeats what it still wants, on a new condition. The package
 * `@leadership/testkit` has the tests that every implementation passes.
 */
export interface Rows {
  /** How error messages name the store, as in `table "leases"`. */
  readonly name: string;
  /** What the store can do. */
  readonly traits: RowsTraits;
  /**
   * The second place of the store for the greatest token. Omit it if every place that this store has is
   * wiped together with its rows.
   */
  readonly floor?: TokenFloor;
  /**
   * Prepares the store: connects, checks or creates what the rows need. An observer creates nothing,
   * and reads no rows until a member has created the store.
   */
  open?(signal: AbortSignal, mayCreate: boolean): Promise<void>;
  /**
   * Makes the changes and reads. Rejects if any outcome is unknown: then each change may have been
   * made, or may still be. Settles soon after the signal has aborted.
   */
  exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged>;
  /**
   * Calls `wake` whenever rows that are awaited may have changed, until the signal aborts. A store that
   * shows changes to its readers calls it with the changed rows too, which asks for no reading: a reader
   * counts the T of a renewal from when it saw it first, and reports the leader of a claim. A change
   * that is announced and cannot be shown wakes without rows. A notification may be lost, late or
   * repeated, but no change is shown that was not made.
   * Resolves once it listens, or once it is clear that it will only listen later.
   */
  listen?(wake: (rows?: readonly NamedText[]) => void, signal: AbortSignal): Promise<void>;
  /** Releases all resources. No request is sent afterwards. May be called again. */
  close(): void | Promise<void>;
}
