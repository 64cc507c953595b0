// The port to a store of leases: one register per partition, whose record is replaced by
// compare-and-set.
import type { TokenFloor } from '../rows/rows.ts';
import type { Instant } from '../time/instant.ts';
import type { LedgerRecord } from './record.ts';

export type { TokenFloor };

/** An item of {@link Ledger.events}, in the register's own order. */
export type LedgerEvent =
  /** A record, and when the reply that contained it arrived (L5). */
  | { readonly kind: 'record'; readonly record: LedgerRecord; readonly receivedAt: Instant }
  /** These registers have been read to their end. */
  | { readonly kind: 'end'; readonly partitions: readonly number[] }
  /**
   * The position was lost. The register's records follow from its current start, then `end` (L11).
   */
  | { readonly kind: 'restarted'; readonly partition: number }
  /**
   * This one register cannot be read because of `error`; the others continue, and its position
   * counts as lost. The ledger retries by itself and reports `restarted` once the register is
   * readable. A current leader keeps its term as long as its renewals succeed.
   */
  | { readonly kind: 'unreadable'; readonly partition: number; readonly error: unknown }
  /**
   * An item that is not a record. It is counted, and never takes effect (L1). `what` is the label
   * of the count.
   */
  | { readonly kind: 'ignored'; readonly what: string };

/**
 * The outcome of a write. A rejected promise means that the outcome is unknown: the write may have
 * landed, or may land later (L4).
 */
export type WriteOutcome =
  /** The store compared, and the record is current. */
  | 'in-effect'
  /** The record was appended; the fold decides whether it takes effect. */
  | 'placed'
  /**
   * The store compared, and the record lost. After a second refusal over the same record without
   * an event in between, the engine reads again (L11).
   */
  | 'refused';

/**
 * A compare-and-set register per partition, and one for the group's pin. A new store implements
 * only this interface (L). Methods reject with a `LeadershipError` if the cause is known:
 * `unauthorized` and `misconfigured-backend` are final.
 */
export interface Ledger {
  /** How messages name the store, as in `table "leases"`. Default: `the store`. */
  readonly name?: string;
  /**
   * `register`: the store compares, and `events` yields the current record at each read; versions may
   * be skipped. `log`: attempts are appended, and `events` yields every attempt in the log's order;
   * the engine decides which took effect.
   */
  readonly shape: 'register' | 'log';
  /**
   * Reads `partitions` from their start, then follows them until the signal aborts.
   *
   * If the iterator throws, all of the registers count as failed: the driver waits, calls `events`
   * again, and every register restarts. Report the failure of a single register as `unreadable`
   * instead.
   *
   * Records of one register come in the register's own order. A record lower than the one in effect
   * means that the store went back, and the engine reads that register again. A reading that takes
   * longer than T is reported in `health()`. If no item at all arrives meanwhile, the engine aborts
   * the signal and calls `events` again, even while a read of the previous call is still pending.
   */
  events(partitions: readonly number[], signal: AbortSignal): AsyncIterable<LedgerEvent>;
  /**
   * Writes the record if `record.after` is current. The promise settles soon after the signal
   * aborts.
   */
  write(record: LedgerRecord, signal: AbortSignal): Promise<WriteOutcome>;
  /**
   * Receives whether this member is a candidate, if that differs from its options, and whenever it
   * changes. A member that is none creates nothing in the store: what is missing reads as empty,
   * until a candidate has created it.
   */
  setCandidate?(isCandidate: boolean): void;
  /** Reads this register again from its start: `events` yields `restarted` first (L12). */
  reread(partition: number): void;
  /**
   * The maximum difference between the times at which two readers learn of the same record, for a
   * store that is polled. A stand-in waits this long after a release before it claims, because it
   * may poll before the preferred member does. Milliseconds, default 0.
   */
  readonly deliverySpreadMs?: number;
  /**
   * How many requests the engine sends concurrently. The others wait in a queue, renewals and
   * releases first. Default 64.
   */
  readonly requestsMax?: number;
  /**
   * The second place of the store for the group's greatest token. Omit it if every place that this
   * store has is wiped together with its registers.
   */
  readonly tokenFloor?: TokenFloor;
  /** The transport for lease requests, if it is cheap. Without it no lease is delegated (L7). */
  readonly leaseRequests?: LeaseRequests;
  /** Releases all resources. The engine writes nothing afterwards. */
  close(): Promise<void>;
}

/** A member's request for a lease that another member holds (L7). */
export interface LeaseRequest {
  /** The partition whose lease is requested. */
  readonly partition: number;
  /** Identifies this request. The release that answers it names this id. */
  readonly id: string;
  /** The incarnation that requests the lease. */
  readonly incarnation: string;
  /** The name of the requesting member. */
  readonly member: string;
  /** T of the requesting member. Milliseconds. */
  readonly thresholdMs: number;
}

/** The transport for lease requests. It may lose, repeat or delay them. */
interface LeaseRequests {
  /** Sends the request to every member that may hold the lease. */
  send(request: LeaseRequest, signal: AbortSignal): Promise<void>;
  /** Yields other members' lease requests as they arrive, until the signal aborts. */
  received(signal: AbortSignal): AsyncIterable<LeaseRequest & { readonly receivedAt: Instant }>;
}
