import { isBefore } from '@leadership/nerio/internal/protocol';
import type { Mutant } from './mutants.ts';

/** Mutants of the leader and of its reports about itself: T1, N8, N12, N16. */
export const leaderMutants: readonly Mutant[] = [
  {
    name: 'tokens-by-the-clock',
    rule: 'T1',
    does: 'uses the wall clock alone as the token',
    clocks: 'drift',
    scenario: 'rainy',
    shows: 'N16',
    departure: { nerio: { token: (_previous, wallMicros) => BigInt(wallMicros) } },
  },
  {
    name: 'tokens-unheard',
    rule: 'N16',
    does: 'leads with the token that it proposed, although its granters know of greater tokens',
    clocks: 'drift',
    scenario: 'stormy',
    shows: 'N16',
    departure: { nerio: { outranks: () => true } },
  },
  {
    name: 'tokens-from-an-amnesiac',
    rule: 'N16',
    does: 'grants after a restart before it has learnt the granted tokens',
    clocks: 'drift',
    scenario: 'torn',
    shows: 'N16',
    departure: { nerio: { hasLearnt: () => true } },
  },
  {
    name: 'edict-sent-late',
    rule: 'N8',
    does: 'sends an edict without a second look at the clock',
    clocks: 'both',
    scenario: 'rainy',
    shows: 'N8',
    departure: { host: { maySend: () => true } },
  },
  {
    name: 'stamped-on-arrival',
    rule: 'N8',
    does: 'stamps the grant of a queued request with its time of arrival',
    clocks: 'both',
    scenario: 'busy-hand-overs',
    shows: 'N8',
    departure: { nerio: { stampedAt: (granted, queued) => queued?.sample ?? granted } },
  },
  {
    name: 'timestamps-across-lives',
    rule: 'N8',
    does: 'compares the clocks of two lives of a granter',
    clocks: 'drift',
    scenario: 'edicts',
    shows: 'N8',
    departure: { nerio: { precedes: isBefore } },
  },
  {
    name: 'verification-as-printed',
    rule: 'N12',
    does: 'relies on a leader by the formula as printed in the paper, with both signs wrong',
    clocks: 'drift',
    scenario: 'rainy',
    shows: 'N12',
    departure: {
      nerio: {
        relies: (startedAt, remainderMs, now, self) =>
          startedAt + remainderMs * (self.driftRate - 1) < now,
      },
    },
  },
  {
    name: 'verified-from-the-answer',
    rule: 'N12',
    does: 'answers with the remaining time on its own clock, as if no clock were slower',
    clocks: 'drift',
    scenario: 'verified',
    shows: 'N12',
    departure: {
      nerio: {
        remainderMs: (beliefMs) => beliefMs,
        relies: (startedAt, remainderMs, now) => now < startedAt + remainderMs,
      },
    },
  },
  {
    name: 'promise-not-kept',
    rule: 'N12',
    does: 'releases before its promise to a verifier has expired',
    clocks: 'both',
    scenario: 'verified',
    shows: 'N12',
    departure: { nerio: { mayRelease: () => true } },
  },
];
