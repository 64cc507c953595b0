import { type LedgerRules, ledgerRules } from '@leadership/core/engine';
import type { Question } from './situation.ts';

/**
 * The protocol's rules at a pace that fits whole numbers and few writes. What is replaced costs time or moves, never safety:
 * how often proofs and wants are sent, and how soon a partition may move again.
 */
export const paced: LedgerRules = {
  ...ledgerRules,
  renewMs: (thresholdMs) => thresholdMs / 2,
  wantMs: (thresholdMs) => ({ every: thresholdMs / 2, fresh: thresholdMs / 2 }),
  settleMs: () => 0,
  staggerMs: () => 0,
};

/** The first clock slow and the second fast, as far apart as ρ allows, and the other way round. */
export const drifts: readonly Question['rates'][] = [
  [3, 5],
  [5, 3],
];

/** T of two units of time. */
export const short = 8;
/** T of three units of time. */
export const long = 12;
