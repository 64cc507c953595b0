import { describe, expect, test } from 'vitest';
import { simulations } from '../../src/cli/simulations.ts';
import { cpuBudget, hunted, rotatingSeed } from './rotating-seed.ts';

/** CPU seconds per protocol: an hour. */
const usualBudget = 3_600;

describe('a long hunt over all scenarios', () => {
  const seed = rotatingSeed();

  test.each(simulations.map((protocol) => [protocol.name, protocol] as const))(
    'finds no violation of %s',
    (name, protocol) => {
      console.log(`${name}: from SIMULATION_SEED=${seed}`);
      const { worlds, found } = hunted(protocol, seed, cpuBudget(usualBudget));
      console.log(`${name}: ${worlds} worlds from SIMULATION_SEED=${seed}`);
      expect(found, `SIMULATION_SEED=${seed} shows it again`).toBeUndefined();
    },
  );
});
