import { describe, expect, test } from 'vitest';
import { protocols } from '../../src/simulate/protocol.ts';
import { cpuBudget, hunted, rotatingSeed } from './rotating-seed.ts';

/** For each protocol. CPU seconds. */
const usualBudget = 5;

describe('worlds that no run has seen before', () => {
  const seed = rotatingSeed();

  test.each(protocols.map((protocol) => [protocol.name, protocol] as const))('break no rule of %s', (name, protocol) => {
    const { worlds, found } = hunted(protocol, seed, cpuBudget(usualBudget));
    console.log(`${name}: ${worlds} worlds from SIMULATION_SEED=${seed}`);
    expect(found, `SIMULATION_SEED=${seed} shows it again`).toBeUndefined();
  });

  test('are the same from the same seed', () => {
    const [induction] = protocols.filter(({ name }) => name === 'induction');
    const [once, again, other] = [7, 7, 8].map((world) => [
      ...(induction?.tour({ seed: world, ms: 60_000, size: induction.usualSize, mutant: undefined, scenario: 'weather' }) ?? []),
    ]);
    expect(again).toEqual(once);
    expect(other?.[0]?.historyHash).not.toBe(once?.[0]?.historyHash);
  });
});
