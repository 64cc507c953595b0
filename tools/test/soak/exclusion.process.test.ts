import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectExclusion } from './support.ts';

test('nobody leads beside another while processes are killed, stopped, blocked, sent away, and lose their store, for 20 seconds (L, T1, H2)', async () => {
  const { chronicle } = await expectExclusion(20_000, Number(process.env['SOAK_SEED'] ?? randomInt(2 ** 31)));
  // Each partition has its leader and loses it now and then, also on a starved machine: a soak without that shows nothing.
  expect(chronicle.reigns.length).toBeGreaterThan(50);
});
