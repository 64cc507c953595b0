import type { LedgerInput } from '@leadership/core/engine';
import type { LedgerRecord, Ranks, Want } from '@leadership/core/ledger';
import type { FaultKind } from './scenario.ts';

/** A write on its way to the store, and how long the answer would take. */
export interface Sending {
  readonly record: LedgerRecord;
  /** Negative: the answer is lost, or is not waited for. */
  readonly answerMs: number;
}

/** What is current in every register, as one poll found it. */
export type Snapshot = readonly (LedgerRecord | null)[];

/** All of one shape, so that the loop over them stays fast. `lane` 0 is the pin, `lane` p + 1 is partition p. */
interface Shape<Kind extends string, Cargo> {
  readonly kind: Kind;
  /** Which node it is for. */
  readonly node: number;
  /** Which life of that node: a restarted process gets nothing that was meant for the one before. */
  readonly life: number;
  readonly lane: number;
  readonly cargo: Cargo;
}

/** What can happen in the world. */
export type Happening =
  /** When it was to come: one that another has overtaken is void. */
  | Shape<'wake', number>
  | Shape<'reread', undefined>
  | Shape<'birth', undefined>
  /** A process that said goodbye stops. */
  | Shape<'gone', undefined>
  /** The placement sees that a process is gone. */
  | Shape<'missed', undefined>
  /** A write reaches the store. */
  | Shape<'landed', Sending>
  /** What became of it reaches the writer. */
  | Shape<'answered', LedgerInput & { readonly kind: 'written' }>
  /** A reply of the log in `lane`'s place arrives. */
  | Shape<'fetched', number>
  | Shape<'polled', undefined>
  | Shape<'seen', Snapshot>
  | Shape<'wanted', Want>
  | Shape<'ranked', Ranks>
  /** The work of the term with that token has settled; or has had its time. */
  | Shape<'settled', bigint>
  | Shape<'timed-out', bigint>
  | Shape<'fault', FaultKind>;
