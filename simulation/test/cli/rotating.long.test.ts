import { describe, expect, test } from 'vitest';
import { simulations } from '../../src/cli/simulations.ts';
import { cpuBudget, hunted, rotatingSeed } from './rotating-seed.ts';

/** CPU seconds per protocol. */
const usualBudget = 5;

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
});
