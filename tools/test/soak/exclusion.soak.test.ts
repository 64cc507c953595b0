import { expect, test } from 'vitest';
import { fileGround } from '../../src/soak/file-ground.ts';
import { judgedSoak } from '../../src/soak/judged-soak.ts';
import { usual } from '../../src/soak/settings.ts';

test('nobody leads beside another while processes are killed, stopped, blocked, sent away, and lose their store, for SOAK_MINUTES (L, T1, H2)', async () => {
  await using ground = await fileGround();
  expect((await judgedSoak(usual, ground)).broken).toEqual([]);
});
