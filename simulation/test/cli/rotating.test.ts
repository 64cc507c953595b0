import { describe, expect, test } from 'vitest';
import { simulations } from '../../src/cli/simulations.ts';
import { testsOfRandomWorlds } from './rotating-seed.ts';

const cpuSeconds = 1;

describe('worlds of a random seed', () => {
  testsOfRandomWorlds(cpuSeconds);

  test('are equal for equal seeds', () => {
    const [induction] = simulations.filter(({ name }) => name === 'induction');
    const [once, again, other] = [7, 7, 8].map((world) => [
      ...(induction?.runAll({
        seed: world,
        ms: 60_000,
        size: induction.usualSize,
        scenario: 'weather',
      }) ?? []),
    ]);
    expect(again).toEqual(once);
    expect(other?.[0]?.historyHash).not.toBe(once?.[0]?.historyHash);
  });
});
