import type { MemberConfig } from '@leadership/core/internal/ledger';

/** The intervals that the text gives as a share of T. A search replaces them by whole numbers. */
export interface Paces {
  /** L8 */
  renewMs(thresholdMs: number): number;
  /** L7 */
  requestMs(thresholdMs: number): { readonly every: number; readonly fresh: number };
  /** L9 */
  settleMs(thresholdMs: number): number;
  /** L5, L11: for how long a leader by an unknown record may act: 0 in a store that is new. */
  emptyMs(self: MemberConfig): number;
  /** L13 */
  youngMs(thresholdMs: number): number;
}

/** The text's own intervals. */
export const textPaces: Paces = {
  renewMs: (thresholdMs) => thresholdMs / 3,
  requestMs: (thresholdMs) => ({ every: thresholdMs / 4, fresh: thresholdMs / 2 }),
  settleMs: (thresholdMs) => 2 * thresholdMs,
  emptyMs: ({ thresholdMsMax }) => thresholdMsMax,
  youngMs: (thresholdMs) => thresholdMs,
};
