// The numbers with which an exhaustive search of the ledger lease stays small.
import { type LedgerRules, ledgerRules } from '@leadership/core/internal/ledger';
import { type Paces, textPaces } from '../../relation/paces.ts';
import type { SearchParameters } from './system-state.ts';

/**
 * Intervals that fit whole numbers and few writes. They affect time and moves, never safety: the
 * intervals of proofs and lease requests, and the minimum time between moves.
 */
export const paces: Paces = {
  ...textPaces,
  renewMs: (thresholdMs) => thresholdMs / 2,
  requestMs: (thresholdMs) => ({ every: thresholdMs / 2, fresh: thresholdMs / 2 }),
  settleMs: () => 0,
};

/** The rules of the protocol with these intervals. */
export const paced: LedgerRules = { ...ledgerRules, ...paces, staggerMs: () => 0 };

/** The clock rates: one clock slow and the other fast, as far apart as ρ allows, in both orders. */
export const drifts: readonly SearchParameters['rates'][] = [
  [3, 5],
  [5, 3],
];

/** A T of two units of time. */
export const short = 8;
/** A T of three units of time. */
export const long = 12;
