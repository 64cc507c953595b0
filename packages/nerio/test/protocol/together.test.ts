import { expect, test } from 'vitest';
import { driftRules, type MemberState, type NerioInput, step } from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

test('a leader of several partitions renews them together, whenever their terms began: messages do not grow with partitions (N10)', () => {
  const epoch = epochOf(['a', 'b'], { kind: 'weights', weights: { a: 2 } });
  let state: MemberState = settled(selfNamed('a', { partitions: 3 }), epoch);
  const renewed: number[][] = [];
  let wakeAt = 0;
  const feed = (input: NerioInput, at: number): void => {
    const next = step(driftRules, state, input, momentAt(at));
    state = next.state;
    wakeAt = next.wakeAt;
    const asks = next.outputs.flatMap((output) =>
      output.kind === 'send' && output.item.kind === 'grant-request' ? [output.item] : [],
    );
    const partitions = asks
      .filter(({ standing }) => standing === 'leading')
      .map(({ partition }) => partition);
    if (partitions.length > 0) renewed.push(partitions.sort());
  };
  const liveUntil = (end: number): void => {
    while (wakeAt < end) feed({ kind: 'wake' }, wakeAt);
  };
  for (const partition of [1, 2]) {
    liveUntil(300 * partition);
    feed({ kind: 'fenced', partition, lapse: false }, 300 * partition);
  }
  liveUntil(3000);
  renewed.length = 0;
  liveUntil(9000);
  expect(renewed.length).toBeGreaterThan(8);
  expect(renewed.length).toBeLessThan(14);
  for (const partitions of renewed) expect(partitions).toEqual([0, 1, 2]);
});
