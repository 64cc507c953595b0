import { anyOf, type LeadershipSource } from '@leadership/core';
import { MemoryStore } from '@leadership/core/internal/rows';
import { expect, it } from 'vitest';
import { manualClock } from '../../core/test/support/manual-clock.ts';
import { rowsMember } from '../../core/test/support/rows-member.ts';
import { inductionOf } from './support/induction-source.ts';
import { steeredBroker } from './support/steered-broker.ts';

it('a resigned term of anyOf ends once its lease leads again, while induction still has no successor (H2)', async () => {
  const clock = manualClock();
  const induction = inductionOf(steeredBroker(clock), clock);
  const lease = rowsMember(new MemoryStore(), { partitions: 2 });
  const source = anyOf(lease.source, induction.source);
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50)
      await Promise.all([clock.pass(50), lease.clock.pass(50)]);
  };
  induction.assign([0], { generation: 1 });
  await pass(500);
  const leads = (one: LeadershipSource): boolean => one.role(0).isLeading();
  expect([lease.source, induction.source].map(leads)).toEqual([true, true]);
  const term = source.role(0).term();
  let hasResigned = false;
  void source
    .role(0)
    .resign()
    .then(() => {
      hasResigned = true;
    });
  let gaps = 0;
  for (let passed = 0; passed < 2500; passed += 50) {
    await pass(50);
    if (!leads(source)) gaps += 1;
  }
  // Induction leads for T after it resigned.
  expect([gaps, leads(lease.source), hasResigned]).toEqual([0, true, false]);
  expect([term?.isCurrent(), term?.signal.aborted, term?.fenced.aborted]).toEqual([
    false,
    true,
    true,
  ]);
  await pass(1000);
  expect([leads(induction.source), leads(source), hasResigned]).toEqual([false, true, true]);
  await source.close({ signal: AbortSignal.abort() });
});
