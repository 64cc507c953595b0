import { describe, expect, test } from 'vitest';
import { simulations } from '../../src/cli/simulations.ts';
import { cpuBudget, hunted, rotatingSeed } from './rotating-seed.ts';

/** CPU seconds per protocol. */
const usualBudget = 1;

describe('worlds of a random seed', () => {
  const seed = rotatingSeed();

  test.each(simulations.map((protocol) => [protocol.name, protocol] as const))(
    'show no violation of %s',
    (name, protocol) => {
      const { worlds, found } = hunted(protocol, seed, cpuBudget(usualBudget));
      console.log(`${name}: ${worlds} worlds from SIMULATION_SEED=${seed}`);
      expect(found, `SIMULATION_SEED=${seed} shows it again`).toBeUndefined();
    },
  );

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
