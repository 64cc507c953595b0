// The options of a member over a store of rows.
import type { ResolvedOptions } from '../../contract/resolved-options.ts';
import type { PinnedFields } from './register-row.ts';

/**
 * Values beside M and the cap on T that all members must agree on, stored in the row of the pin.
 */
export interface PinAgreement {
  /** The values of this member, which it writes if it is the first. */
  readonly values: PinnedFields;
  /**
   * Returns why this member may not take part in a group that has pinned these values, and what to
   * do about it; `undefined` if it may.
   */
  refusal(pinned: PinnedFields): string | undefined;
}

/** The options of a ledger over rows: those of the member, and how to use the store. */
export interface TableLedgerOptions
  extends Pick<
    ResolvedOptions,
    'group' | 'partitions' | 'thresholdMs' | 'thresholdMsMax' | 'campaign'
  > {
  /** The interval between two reads. Milliseconds, default T/4. */
  readonly pollMs?: number;
  /** How long a request may take. Milliseconds, default T/3. */
  readonly limitMs?: number;
  /** Values beside M and the cap on T that all members must agree on. Default: none. */
  readonly agreement?: PinAgreement;
}
