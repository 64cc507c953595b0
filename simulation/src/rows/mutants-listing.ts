import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './mutants.ts';

/** Mutants of the notes by which candidates without a session are listed (M11). */
export const listingMutants: readonly Mutant<Overrides>[] = [
  mutant('M11', 'notes-too-seldom', 'standbys', 'listed', {
    does: 'leaves a note as seldom as a note counts, so that a present member seems to be gone',
    overrides: { rules: { noteMs: (thresholdMs) => thresholdMs } },
  }),
  mutant('M11', 'believes-old-notes', 'standbys', 'listed', {
    does: 'lists a candidate by a note that is as old as two leases',
    overrides: {
      rules: {
        notedMs: (thresholdMs) => 2 * thresholdMs,
        noteSweepMs: (_hasSession, thresholdMs) => 4 * thresholdMs,
      },
    },
  }),
  mutant('M11', 'sweeps-notes-at-once', 'standbys', 'M11', {
    does: 'removes the note of a candidate that was there a moment ago',
    overrides: { rules: { noteSweepMs: () => 0 } },
  }),
  mutant('M11', 'never-sweeps-notes', 'standbys', 'M11', {
    does: 'leaves the notes of candidates that have ended',
    overrides: { rules: { noteSweepMs: () => Number.POSITIVE_INFINITY } },
  }),
];
