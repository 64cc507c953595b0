import type { Instant } from '../time/instant.ts';
import type { LedgerRecord } from './record.ts';

/** What reading a register brings, in the register's own order. */
export type LedgerNews =
  /** A record, and when the reply that brought it arrived (L5). */
  | { readonly kind: 'record'; readonly record: LedgerRecord; readonly receivedAt: Instant }
  /** These registers have been read to their end. */
  | { readonly kind: 'end'; readonly partitions: readonly number[] }
  /** The position was lost: what follows is the register from wherever it starts now, then `end` (L11). */
  | { readonly kind: 'restarted'; readonly partition: number }
  /**
   * This register alone cannot be read, and why: its position counts as lost, while the others go on. Whoever tells it tries again
   * by itself, and says `restarted` once it can. A term that is under way there lasts as long as its renewals get through.
   */
  | { readonly kind: 'unreadable'; readonly partition: number; readonly error: unknown }
  /** Something there is no record: counted, in effect for nobody (L1). */
  | { readonly kind: 'ignored'; readonly what: string };

/** What became of a write. A rejection means unknown: it may have landed, or land later (L4). */
export type Written =
  /** The store compared, and it is current. */
  | 'in-effect'
  /** It was appended; the fold decides. */
  | 'placed'
  /** The store compared, and it lost. A second time over the same record, with no news between, makes the engine read again (L11). */
  | 'refused';

/**
 * A compare-and-set register per partition, and one for the pin: all a new store has to implement (L).
 * Calls reject with a `LeadershipError` where the cause is known: `unauthorized` and `misconfigured-backend` are final.
 */
export interface Ledger {
  /**
   * `register`: the store compares, and news is whatever is current when it is read; versions may be skipped.
   * `log`: attempts are appended, and news is every attempt in the log's order; the engine decides which took effect.
   */
  readonly shape: 'register' | 'log';
  /**
   * Reads `partitions` from wherever they start, then follows them, until the signal aborts.
   * A throw is trouble with all of them: the driver waits a little and calls again, and that is a restart of every register. What
   * befalls one register among others that are well is `unreadable`.
   * Records of one register come in the register's own order: one that is lower than what is in effect makes the engine read that
   * register again, for the store went back. A reading that takes longer than T is a trouble, and where no news come at all
   * meanwhile the signal aborts and `news` is called anew, also while the call before is stuck in a read that is never answered.
   */
  news(partitions: readonly number[], signal: AbortSignal): AsyncIterable<LedgerNews>;
  /** Writes where `record.after` is current. Ends, one way or the other, soon after the signal aborts. */
  write(record: LedgerRecord, signal: AbortSignal): Promise<Written>;
  /** Reads this register again from wherever it starts: news says `restarted` first (L12). */
  reread(partition: number): void;
  /**
   * How far apart readers may learn of one record, where they look now and then and nobody tells them. A lease that was released is
   * left to whoever should have it for so long, as a stand-in may look first. Milliseconds, default 0.
   */
  readonly newsSpreadMs?: number;
  /** How many requests the engine sends at once; the others wait in a queue, renewals and releases first. Default 64. */
  readonly requestsMax?: number;
  /** Only where asking is cheap: without it nothing is ever delegated (L7). */
  readonly wants?: Wants;
  /** Lets go of everything. Nothing is written after it. */
  close(): Promise<void>;
}

/** A wish for a lease that another holds (L7). */
export interface Want {
  readonly partition: number;
  readonly id: string;
  readonly incarnation: string;
  readonly member: string;
  readonly thresholdMs: number;
}

/** How wants travel. They may be lost, repeated or late. */
export interface Wants {
  /** Lets every member that may hold the lease know. */
  ask(want: Want, signal: AbortSignal): Promise<void>;
  /** Other members' wants as they arrive, until the signal aborts. */
  asked(signal: AbortSignal): AsyncIterable<Want & { readonly receivedAt: Instant }>;
}
