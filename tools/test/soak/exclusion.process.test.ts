import { spawnMember } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { checkedSteps } from '../../src/soak/checked-steps.ts';
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
  expect(recorder.counts.get('100 steps checked')).toBeGreaterThan(10);
});

test('a member ends at its first step that the rules do not permit (M2)', async () => {
  await using environment = await fileEnvironment();
  const { url } = environment.memberOptions('a');
  const module = new URL('late-deadline-backend.mjs', import.meta.url).href;
  const options = { member: 'a', partitions: 1, thresholdMs: 500 };
  await using member = await spawnMember(
    { url, module, options, work: { kind: 'idle' } },
    checkedSteps,
  );
  await expect(member.until(({ kind }) => kind === 'closed')).rejects.toThrow(
    'is not permitted by the rules: a: prolongs: M2 counts T(1 − ρ) from before it sent the exchange',
  );
});
