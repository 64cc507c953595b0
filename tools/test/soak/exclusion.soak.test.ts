import { expect, test } from 'vitest';
import { fileEnvironment } from '../../src/soak/file-environment.ts';
import { judgedSoak } from '../../src/soak/judged-soak.ts';
import { usual } from '../../src/soak/settings.ts';

test('at most one member leads while processes are killed, stopped, blocked and closed, and lose their store, for SOAK_MINUTES (L, T1, H2)', async () => {
  await using environment = await fileEnvironment();
  expect((await judgedSoak(usual, environment)).broken).toEqual([]);
});
