import type { NerioRules } from '@leadership/nerio/internal/protocol';
import { describe, expect, test } from 'vitest';
import { search } from './search.ts';
import { paced, type Question, three, two } from './situation.ts';

/** More than any search here needs: one that reaches this was not exhausted. */
const statesMax = 200_000;

describe('a mutant is detected by the shortest history in which both lead', () => {
  test.each<readonly [string, Question, Partial<NerioRules>]>([
    [
      'late-start',
      three,
      { believeUntil: (_start, ms, self, completedAt) => completedAt + (1 - self.driftRate) * ms },
    ],
    [
      'no-drift-factor',
      three,
      {
        believeUntil: (start, ms) => start.at + ms,
        grantUntil: (before, now, request) => Math.max(before, now + request.leaseMs),
      },
    ],
    ['half-a-quorum', two, { holdsQuorum: (_quorums, members) => members !== 0 }],
    ['no-mute', { ...three, restarts: 1 }, { muteMs: () => 0 }],
  ])('%s', (_name, question, departure) => {
    expect(
      search({ ...question, rules: { ...paced, ...departure } }, statesMax).doubleLed?.length,
    ).toBeGreaterThan(2);
  });
});
