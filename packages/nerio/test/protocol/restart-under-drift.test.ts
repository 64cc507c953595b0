import { seededRandom } from '@leadership/testkit/internal';
import { describe, expect, test } from 'vitest';
import { driftRules, type NerioRules, newMember, step } from '../../src/protocol.ts';
import { asked, leaseMs, oneVoter } from '../support/one-voter.ts';
import { momentAt, selfNamed, settled } from '../support/test-members.ts';

// The voter grants to p, soon loses its memory, and receives a request of q at the first instant at
// which it grants again. Its clock and p's run at any rates within ρ.
const driftRate = 0.05;
const self = selfNamed('v', { driftRate, leaseMsMax: leaseMs });
const histories = 20_000;

/** The number of histories in which the voter grants to q while p still believes. */
function early(rules: NerioRules): number {
  const random = seededRandom(4);
  const rate = (): number => 1 + driftRate * (2 * random() - 1);
  let times = 0;
  for (let history = 0; history < histories; history += 1) {
    const [rateOfP, rateOfV] = [rate(), rate()];
    const [sentAt, grantedAt] = [10_000, 10_000 + 5 * random()];
    const granted = step(
      rules,
      settled(self, oneVoter, 0, rules),
      asked('p', sentAt * rateOfP),
      momentAt(grantedAt * rateOfV),
    );
    expect(granted.state.grants[0]?.holder?.member).toBe('p');
    const rebornAt = (grantedAt + 20 * random()) * rateOfV;
    const reborn = newMember(
      rules,
      self,
      { hardState: { epoch: oneVoter, wedge: undefined } },
      momentAt(rebornAt),
    );
    const again = step(
      rules,
      { ...reborn, learning: undefined },
      asked('q', 0),
      momentAt(reborn.mutedUntil),
    );
    expect(again.state.grants[0]?.holder?.member).toBe('q');
    const believesUntil =
      rules.believeUntil({ at: sentAt * rateOfP, count: 0 }, leaseMs, self, 0) / rateOfP;
    if (reborn.mutedUntil / rateOfV < believesUntil) times += 1;
  }
  return times;
}

describe('a voter that lost its memory, with clocks within ρ of real time', () => {
  test('grants again only when no earlier holder can still believe (N4)', () => {
    expect(early(driftRules)).toBe(0);
  });

  test('grants too early if it waits only for the longest lease, because its clock may be fast', () => {
    expect(early({ ...driftRules, muteMs: ({ leaseMsMax }) => leaseMsMax })).toBeGreaterThan(
      histories / 20,
    );
  });
});
