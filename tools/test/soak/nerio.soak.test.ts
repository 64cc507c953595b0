import { expect, test } from 'vitest';
import { judgedSoak } from '../../src/soak/judged-soak.ts';
import { nerioGround } from './nerio-ground.ts';

/** Every member votes: a quorum is left alone by what befalls single members. */
const settings = { members: 5, partitions: 8, thresholdMs: 1000, leftAlone: 3 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

test('nobody leads beside another while members are killed, stopped, blocked, and parted from each other, for SOAK_MINUTES (L, T1, H2)', async () => {
  await using ground = await nerioGround(names);
  expect((await judgedSoak(settings, ground)).broken).toEqual([]);
});
