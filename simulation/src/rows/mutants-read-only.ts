// Mutants that a store shows which answers readings, and makes no change of a member, or not all.
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './mutants.ts';

export const readOnlyMutants: readonly Mutant<Overrides>[] = [
  mutant('M9', 'closes-only-after-its-changes', 'read-only, reads-after', 'closes', {
    does: 'waits, when it closes, for as long as its store answers, though that makes none of its changes',
    overrides: { rules: { leavesUnchanged: (unanswered) => unanswered >= 3 } },
  }),
  mutant('M11', 'removes-its-note-at-any-pace', 'read-only', 'pace', {
    does: 'tries again at once to remove its note, which the store keeps',
    overrides: { rules: { noteKeptMs: () => 0 } },
  }),
];
