import { describe, expect, test } from 'vitest';
import { type NerioRules, newMember, skewRules, step } from '../../src/protocol.ts';
import { numbersFrom } from '../support/dice.ts';
import { asked, leaseMs, oneVoter } from '../support/one-voter.ts';
import { momentAt, selfNamed, settled } from '../support/people.ts';

// The voter grants to p, loses its memory at once, and is asked by q at the first instant it grants again. Synchronised clocks may differ by
// Δ, either way, at every instant; so they may have moved between the grant and the next.
const skewMs = 100;
const self = selfNamed('v', { skewMs, leaseMsMax: leaseMs });
const histories = 20_000;

/** In how many of the histories the voter grants to q while p's clock still shows less than E. */
function early(rules: NerioRules): number {
  const random = numbersFrom(4);
  let times = 0;
  for (let history = 0; history < histories; history += 1) {
    const off = (): number => (random() - 0.5) * skewMs;
    const grantedAt = 10_000 + off();
    const sentAt = 10_000 - random() * 5 + off();
    const granted = step(rules, settled(self, oneVoter, 0, rules), asked('p', sentAt), at(grantedAt));
    const holdsUntil = granted.state.grants[0]?.until ?? 0;
    expect(holdsUntil).toBe(sentAt + leaseMs + skewMs);
    const reborn = newMember(rules, self, { vow: { epoch: oneVoter, wedge: undefined } }, at(grantedAt));
    const knows = { ...reborn, learning: undefined };
    const regrantedAt = reborn.mutedUntil;
    const again = step(rules, knows, asked('q', regrantedAt), at(regrantedAt));
    expect(again.state.grants[0]?.holder?.member).toBe('q');
    // When the voter's clock shows that, p's shows anything within Δ of it.
    const clockOfP = regrantedAt + (random() - 0.5) * 2 * skewMs;
    if (clockOfP < sentAt + leaseMs) times += 1;
  }
  return times;
}

function at(ms: number): ReturnType<typeof momentAt> {
  return momentAt(ms, ms * 1000);
}

describe('a voter that lost its memory, where synchronised clocks differ by Δ', () => {
  test('grants again when no clock can show less than the E of whom it granted to before (N4)', () => {
    expect(early(skewRules)).toBe(0);
  });

  test('does not when it waits for the longest lease only, as where clocks merely drift', () => {
    expect(early({ ...skewRules, muteMs: ({ leaseMsMax }) => leaseMsMax })).toBeGreaterThan(histories / 20);
  });
});
