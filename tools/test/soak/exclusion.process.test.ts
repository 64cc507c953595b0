import { expect, test } from 'vitest';
import { fileEnvironment } from '../../src/soak/file-environment.ts';
import { judgedSoak } from '../../src/soak/judged-soak.ts';
import { usual } from '../../src/soak/settings.ts';

test('at most one member leads while processes are killed, stopped, blocked and closed, and lose their store, for 20 seconds (L, T1, H2)', async () => {
  await using environment = await fileEnvironment();
  const { broken, recorder } = await judgedSoak({ ...usual, durationMs: 20_000 }, environment);
  expect(broken).toEqual([]);
  // Even on a starved machine every partition gets and loses leaders. A soak without changes of
  // leader would prove nothing.
  expect(recorder.terms.length).toBeGreaterThan(50);
});
