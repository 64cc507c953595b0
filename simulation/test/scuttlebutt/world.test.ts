import { describe, expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { scuttlebutt } from '../../src/scuttlebutt/protocol.ts';

const minute = 60_000;

describe('Scuttlebutt in the simulated world', () => {
  const run = (name: string, seed: number, ms: number) =>
    simulate(scuttlebutt, named(scuttlebutt.scenarios, name), seed, { ms });

  test.each(scuttlebutt.scenarios.map(({ name }) => name))(
    'has at most one leader, and tokens that grow, in half a minute of %s (S1 to S5, T1)',
    (name) => {
      const { broken, first } = run(name, 1, minute / 2);
      expect(broken, first).toEqual({});
    },
  );

  test('has a leader almost all the time if only crashes happen (S6)', () => {
    const { leaderlessShare, needlessMoves } = run('calm', 2, 5 * minute);
    expect(leaderlessShare).toBeLessThan(0.05);
    expect(needlessMoves).toBe(0);
  });

  test('repeats a history for the same seed, and differs for another seed', () => {
    const [once, again, other] = [7, 7, 8].map((seed) => run('rainy', seed, minute / 2));
    expect(again).toEqual(once);
    expect(other?.historyHash).not.toBe(once?.historyHash);
  });
});
