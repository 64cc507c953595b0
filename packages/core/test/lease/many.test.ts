// A member with many partitions, over rows that answer at once.
import { expect, it } from 'vitest';
import { newMember } from '../../src/lease/new-member.ts';
import { step } from '../../src/lease/step.ts';
import type { Output } from '../../src/lease/types.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import type { Instant } from '../../src/time/instant.ts';

const partitions = 1000;

it('begins at most 256 terms in one step, and all of them at one instant', () => {
  const store = new RowStore();
  const state = newMember({
    group: 'g',
    member: 'a',
    incarnation: 'a',
    metadata: {},
    partitions,
    thresholdMs: 1000,
    thresholdMsMax: 1000,
    driftRate: 0,
    campaign: true,
    jitter: 0,
    traits: { changesMax: 2 * partitions },
  });
  const begun: number[] = [];
  let now = 0 as Instant;
  const take = (outputs: readonly Output[]): void => {
    const granted = outputs.filter(({ kind }) => kind === 'granted').length;
    if (granted > 0) begun.push(granted);
    for (const output of outputs) {
      if (output.kind !== 'exchange') continue;
      const answer = store.exchange(output);
      take(step(state, { kind: 'exchanged', id: output.id, answer }, at()).outputs);
    }
  };
  const at = () => ({ now, wallMicros: 1_000_000 + now * 1000 });
  while (now <= 1010) {
    const { outputs, wakeAt } = step(state, { kind: 'wake' }, at());
    take(outputs);
    const isAsked = outputs.some(({ kind }) => kind === 'exchange');
    if (!isAsked && wakeAt > now) now = wakeAt;
  }
  expect(begun).toEqual([256, 256, 256, 232]);
  expect(state.led.size).toBe(partitions);
});
