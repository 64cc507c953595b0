import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { nerioDrift, nerioSkew } from '../../src/nerio/protocol.ts';
import { keepsItsRules, minute, repeatsItsHistories } from '../worlds.ts';

describe.each([
  ['drift', nerioDrift],
  ['skew', nerioSkew],
] as const)('Nerio in the simulated world, where clocks are held to %s', (_clocks, protocol) => {
  keepsItsRules('believes only with a quorum of grants in a minute of %s', protocol, () => minute);

  test('has a leader almost all the time if only crashes happen', () => {
    const calm = named(protocol.scenarios, 'calm');
    const { leaderlessShare, renewalGaps, needlessMoves } = simulate(protocol, calm, 2, {
      ms: 60 * minute,
    });
    expect(leaderlessShare).toBeLessThan(0.01);
    expect(renewalGaps).toBe(0);
    expect(needlessMoves).toBe(0);
  });

  repeatsItsHistories(protocol, 'rainy', minute);
});
