// Wrong versions of rules T1, N8, N12 and N16, about what a leader may send, which the simulation
// must catch.
import { isBefore } from '@leadership/nerio/internal/protocol';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

/** Mutants of the leader and of its reports about itself: T1, N8, N12, N16. */
export const leaderMutants: readonly Mutant<Overrides>[] = [
  mutant('T1', 'tokens-by-the-clock', 'rainy', 'N16', {
    does: 'uses the wall clock alone as the token',
    overrides: { rules: { token: (_previous, wallMicros) => BigInt(wallMicros) } },
    variant: 'drift',
  }),
  mutant('N16', 'tokens-unheard', 'stormy', 'N16', {
    does: 'leads with the token that it proposed, although its granters know of greater tokens',
    overrides: { rules: { outranks: () => true } },
    variant: 'drift',
  }),
  mutant('N16', 'tokens-from-an-amnesiac', 'torn', 'N16', {
    does: 'grants after a restart before it has learnt the granted tokens',
    overrides: { rules: { hasLearnt: () => true } },
    variant: 'drift',
  }),
  mutant('N8', 'edict-sent-late', 'rainy', 'N8', {
    does: 'sends an edict without a second look at the clock',
    overrides: { driver: { maySend: () => true } },
    seeds: [56, 67, 11],
  }),
  mutant('N8', 'stamped-on-arrival', 'busy-hand-overs', 'N8', {
    does: 'stamps the grant of a queued request with its time of arrival',
    overrides: { rules: { stampedAt: (granted, queued) => queued?.sample ?? granted } },
  }),
  mutant('N8', 'timestamps-across-lives', 'edicts', 'N8', {
    does: 'compares the clocks of two lives of a granter',
    overrides: { rules: { precedes: isBefore } },
    variant: 'drift',
  }),
  mutant('N12', 'verification-as-printed', 'rainy', 'N12', {
    does: 'relies on a leader by the formula as printed in the paper, with both signs wrong',
    overrides: {
      rules: {
        relies: (startedAt, remainderMs, now, self) =>
          startedAt + remainderMs * (self.driftRate - 1) < now,
      },
    },
    variant: 'drift',
  }),
  mutant('N12', 'verified-from-the-answer', 'verified', 'N12', {
    does: 'answers with the remaining time on its own clock, as if no clock were slower',
    overrides: {
      rules: {
        remainderMs: (beliefMs) => beliefMs,
        relies: (startedAt, remainderMs, now) => now < startedAt + remainderMs,
      },
    },
    variant: 'drift',
    seeds: [24, 7, 8],
  }),
  mutant('N12', 'promise-not-kept', 'verified', 'N12', {
    does: 'releases before its promise to a verifier has expired',
    overrides: { rules: { mayRelease: () => true } },
  }),
];
