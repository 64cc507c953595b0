import { randomInt } from 'node:crypto';
import { test } from 'vitest';
import { expectExclusion } from './support.ts';

test('nobody leads beside another while processes are killed, stopped, blocked, sent away, and lose their store, for SOAK_MINUTES (L, T1, H2)', async () => {
  const minutes = Number(process.env['SOAK_MINUTES'] ?? 10);
  await expectExclusion(minutes * 60_000, Number(process.env['SOAK_SEED'] ?? randomInt(2 ** 31)));
});
