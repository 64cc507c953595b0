import type { LeaseRequest, LedgerRecord, Ranks } from '@leadership/core/adapter';
import type { LedgerInput } from '@leadership/core/internal/ledger';
import type { Local } from '../kernel/clock.ts';
import type { FaultKind } from './scenario.ts';

/** A write on its way to the store, with the delay of its answer. */
export interface Sending {
  readonly record: LedgerRecord;
  /**
   * Delay of the answer in milliseconds. Negative: the answer is lost, or arrives after the
   * timeout.
   */
  readonly answerMs: number;
}

/** The current record of every register, as returned by one poll. */
export type Snapshot = readonly (LedgerRecord | null)[];

/**
 * The common shape of all events, so that the event loop stays monomorphic and fast. Lane 0 is the
 * pin, lane p + 1 is partition p.
 */
interface Shape<Kind extends string, Cargo> {
  readonly kind: Kind;
  /** Index of the node that receives the event. */
  readonly node: number;
  /**
   * Life of that node. A restarted process ignores events that were addressed to its previous life.
   */
  readonly life: number;
  readonly lane: number;
  readonly cargo: Cargo;
}

/** The events of the world. */
export type Happening =
  /** The scheduled time. A wake-up that a later one has replaced is ignored. */
  | Shape<'wake', number>
  | Shape<'reread', undefined>
  | Shape<'birth', undefined>
  /** A process stops after it has left the group. */
  | Shape<'gone', undefined>
  /** The placement detects that a process has stopped. */
  | Shape<'missed', undefined>
  /** A write reaches the store. */
  | Shape<'landed', Sending>
  /** The outcome of a write reaches the writer. */
  | Shape<'answered', LedgerInput & { readonly kind: 'written' }>
  /** A reply of the log with index `lane` arrives. */
  | Shape<'fetched', number>
  /**
   * A read of the floor that began at that instant of the node's clock reaches the second place.
   */
  | Shape<'floor-read', Local>
  | Shape<'floor-reply', LedgerInput & { readonly kind: 'floor' }>
  /** The node raises the floor to this token, although it has sent the record already. */
  | Shape<'floor-due', bigint>
  /** A raise reaches the second place. */
  | Shape<'floor-raised', bigint>
  /** The answer to a raise reaches the node, which then sends the record. */
  | Shape<'raised', LedgerRecord>
  | Shape<'polled', undefined>
  | Shape<'seen', Snapshot>
  | Shape<'wanted', LeaseRequest>
  | Shape<'ranked', Ranks>
  /** The work of the term with that token has settled, or has timed out. */
  | Shape<'settled', bigint>
  | Shape<'timed-out', bigint>
  | Shape<'fault', FaultKind>;
