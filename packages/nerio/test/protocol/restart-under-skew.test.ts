import { seededRandom } from '@leadership/testkit/internal';
import { describe, expect, test } from 'vitest';
import { type NerioRules, newMember, skewRules, step } from '../../src/protocol.ts';
import { asked, leaseMs, oneVoter } from '../support/one-voter.ts';
import { momentAt, selfNamed, settled } from '../support/test-members.ts';

// The voter grants to p, loses its memory at once, and receives a request of q at the first instant
// at which it grants again. Synchronised clocks may differ by Δ in either direction at every
// instant, so they may shift between the two grants.
const skewMs = 100;
const self = selfNamed('v', { skewMs, leaseMsMax: leaseMs });
const histories = 20_000;

/**
 * The number of histories in which the voter grants to q while p's clock still shows less than E.
 */
function early(rules: NerioRules): number {
  const random = seededRandom(4);
  let times = 0;
  for (let history = 0; history < histories; history += 1) {
    const off = (): number => (random() - 0.5) * skewMs;
    const grantedAt = 10_000 + off();
    const sentAt = 10_000 - random() * 5 + off();
    const granted = step(
      rules,
      settled(self, oneVoter, 0, rules),
      asked('p', sentAt),
      at(grantedAt),
    );
    const holdsUntil = granted.state.grants[0]?.until ?? 0;
    expect(holdsUntil).toBe(sentAt + leaseMs + skewMs);
    const reborn = newMember(
      rules,
      self,
      { hardState: { epoch: oneVoter, wedge: undefined } },
      at(grantedAt),
    );
    const knows = { ...reborn, learning: undefined };
    const regrantedAt = reborn.mutedUntil;
    const again = step(rules, knows, asked('q', regrantedAt), at(regrantedAt));
    expect(again.state.grants[0]?.holder?.member).toBe('q');
    // At that reading of the voter's clock, p's clock shows any value within Δ of it.
    const clockOfP = regrantedAt + (random() - 0.5) * 2 * skewMs;
    if (clockOfP < sentAt + leaseMs) times += 1;
  }
  return times;
}

function at(ms: number): ReturnType<typeof momentAt> {
  return momentAt(ms, ms * 1000);
}

describe('a voter that lost its memory, with synchronised clocks that differ by Δ', () => {
  test('grants again only when no clock can show less than the E of an earlier holder (N4)', () => {
    expect(early(skewRules)).toBe(0);
  });

  test('grants too early if it waits only for the longest lease, as under drift', () => {
    expect(early({ ...skewRules, muteMs: ({ leaseMsMax }) => leaseMsMax })).toBeGreaterThan(
      histories / 20,
    );
  });
});
