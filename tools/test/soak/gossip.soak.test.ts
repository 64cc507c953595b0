import { expect, test } from 'vitest';
import { judgedSoak } from '../../src/soak/judged-soak.ts';
import { gossipEnvironment } from './gossip-environment.ts';

/** At most five members have a fault at once, so that three of the five voters mostly have none. */
const settings = { members: 20, partitions: 8, thresholdMs: 3000, faultFreeMin: 15 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

test('at most one member leads while members and voters are killed, stopped, blocked and disconnected from each other, for SOAK_MINUTES (S1 to S6, T1, H2)', async () => {
  await using environment = await gossipEnvironment(names, names.slice(0, 5));
  expect((await judgedSoak(settings, environment)).broken).toEqual([]);
});

test('members that believe for 2 T longer than their votes allow are found within two minutes', async () => {
  const module = new URL('gossip-believes-longer.mjs', import.meta.url);
  await using environment = await gossipEnvironment(names, names.slice(0, 5), module);
  const { broken } = await judgedSoak({ ...settings, durationMs: 120_000 }, environment);
  expect(broken).toContainEqual(expect.stringMatching(/believed at once/));
});
