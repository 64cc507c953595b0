import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';
import { keepsItsRules, minute, repeatsItsHistories } from '../worlds.ts';

describe('Scuttlebutt in the simulated world', () => {
  keepsItsRules(
    'has at most one leader, and tokens that grow, in a quarter of a minute of %s (S1 to S5, T1)',
    scuttlebutt,
    () => minute / 4,
  );

  test('has a leader almost all the time if only crashes happen (S6)', () => {
    const calm = named(scuttlebutt.scenarios, 'calm');
    const { leaderlessShare, needlessMoves } = simulate(scuttlebutt, calm, 2, { ms: 2 * minute });
    expect(leaderlessShare).toBeLessThan(0.05);
    expect(needlessMoves).toBe(0);
  });

  repeatsItsHistories(scuttlebutt, 'rainy', minute / 4);
});
