import { expect, test } from 'vitest';
import { judgedSoak } from '../../src/soak/judged-soak.ts';
import { nerioEnvironment } from './nerio-environment.ts';

/** Every member votes, so faults of single members must leave a quorum without a fault. */
const settings = { members: 5, partitions: 8, thresholdMs: 1000, faultFreeMin: 3 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

test('at most one member leads while members are killed, stopped, blocked and disconnected from each other, for SOAK_MINUTES (L, T1, H2)', async () => {
  await using environment = await nerioEnvironment(names);
  expect((await judgedSoak(settings, environment)).broken).toEqual([]);
});
