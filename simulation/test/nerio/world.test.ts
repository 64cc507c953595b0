import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { nerioDrift, nerioSkew } from '../../src/nerio/protocol.ts';

const minute = 60_000;

describe.each([
  ['drift', nerioDrift],
  ['skew', nerioSkew],
] as const)('Nerio in the simulated world, where clocks are held to %s', (_clocks, protocol) => {
  const run = (name: string, seed: number, ms: number) =>
    simulate(protocol, named(protocol.scenarios, name), seed, { ms });

  test.each(protocol.scenarios.map(({ name }) => name))(
    'believes only with a quorum of grants in two minutes of %s',
    (name) => {
      const { broken, first } = run(name, 1, 2 * minute);
      expect(broken, first).toEqual({});
    },
  );

  test('has a leader almost all the time if only crashes happen', () => {
    const { leaderlessShare, renewalGaps, needlessMoves } = run('calm', 2, 60 * minute);
    expect(leaderlessShare).toBeLessThan(0.01);
    expect(renewalGaps).toBe(0);
    expect(needlessMoves).toBe(0);
  });

  test('repeats a history for the same seed, and differs for another seed', () => {
    const [once, again, other] = [7, 7, 8].map((seed) => run('rainy', seed, 5 * minute));
    expect(again).toEqual(once);
    expect(other?.historyHash).not.toBe(once?.historyHash);
  });
});
