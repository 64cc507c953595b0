import { describe, expect, it } from 'vitest';
import { closeNow } from '../../core/test/support/close-now.ts';
import { type ManualClock, manualClock } from '../../core/test/support/manual-clock.ts';
import { type InductionUnderTest, inductionOf, thresholdMs } from './support/induction-source.ts';
import { steeredBroker } from './support/steered-broker.ts';

async function standing(options: Parameters<typeof inductionOf>[2] = {}) {
  const clock: ManualClock = manualClock();
  const one: InductionUnderTest = inductionOf(steeredBroker(clock), clock, options);
  one.assign([0], { generation: 1, alone: true });
  await clock.pass(50);
  return { ...one, clock, isLeading: () => one.source.role(0).isLeading() };
}

describe('induction whose candidates another source decides', () => {
  it('leads an assigned partition only where standBy says so, and declines the others meanwhile', async () => {
    const { source, clock, membership, declined, isLeading } = await standing();
    expect(isLeading()).toBe(true);
    membership.standBy?.(0, undefined);
    await clock.pass(50);
    expect([isLeading(), declined.at(-1)]).toEqual([false, [0]]);
    // Waiting does not make it want back what it gave up.
    void membership.resign(0, 0);
    await clock.pass(5 * thresholdMs);
    expect([isLeading(), declined.at(-1)]).toEqual([false, [0]]);
    membership.standBy?.(0, 1n);
    await clock.pass(50);
    expect([isLeading(), declined.at(-1)]).toEqual([true, []]);
    await closeNow({ source, clock });
  });

  it('never leads if it only observes', async () => {
    const { source, clock, membership, declined, isLeading } = await standing({ campaign: false });
    membership.standBy?.(0, 1n);
    await clock.pass(thresholdMs);
    expect([isLeading(), declined]).toEqual([false, []]);
    await closeNow({ source, clock });
  });
});
