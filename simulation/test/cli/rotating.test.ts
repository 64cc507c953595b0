import { describe, expect, test } from 'vitest';
import { protocols } from '../../src/cli/protocol.ts';
import { cpuBudget, hunted, rotatingSeed } from './rotating-seed.ts';

/** CPU seconds per protocol. */
const usualBudget = 1;

describe('worlds of a random seed', () => {
  const seed = rotatingSeed();

  test.each(protocols.map((protocol) => [protocol.name, protocol] as const))(
    'show no violation of %s',
    (name, protocol) => {
      const { worlds, found } = hunted(protocol, seed, cpuBudget(usualBudget));
      console.log(`${name}: ${worlds} worlds from SIMULATION_SEED=${seed}`);
      expect(found, `SIMULATION_SEED=${seed} shows it again`).toBeUndefined();
    },
  );

  test('are equal for equal seeds', () => {
    const [induction] = protocols.filter(({ name }) => name === 'induction');
    const [once, again, other] = [7, 7, 8].map((world) => [
      ...(induction?.tour({
        seed: world,
        ms: 60_000,
        size: induction.usualSize,
        mutant: undefined,
        scenario: 'weather',
      }) ?? []),
    ]);
    expect(again).toEqual(once);
    expect(other?.[0]?.historyHash).not.toBe(once?.[0]?.historyHash);
  });
});
