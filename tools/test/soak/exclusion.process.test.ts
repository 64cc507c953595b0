import { expect, test } from 'vitest';
import { fileGround } from '../../src/soak/file-ground.ts';
import { judgedSoak } from '../../src/soak/judged-soak.ts';
import { usual } from '../../src/soak/settings.ts';

test('nobody leads beside another while processes are killed, stopped, blocked, sent away, and lose their store, for 20 seconds (L, T1, H2)', async () => {
  await using ground = await fileGround();
  const { broken, chronicle } = await judgedSoak({ ...usual, durationMs: 20_000 }, ground);
  expect(broken).toEqual([]);
  // Each partition has its leader and loses it now and then, also on a starved machine: a soak without that shows nothing.
  expect(chronicle.reigns.length).toBeGreaterThan(50);
});
