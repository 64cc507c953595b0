import { expect, test } from 'vitest';
import type { Item } from '../../src/protocol/message.ts';
import { deliver, type MessageListener } from '../../src/transport/deliver.ts';

const from = { member: 'a', incarnation: 'a0' };
const ping = (beat: number): Item => ({ kind: 'ping', beat });
const running: Item = {
  kind: 'running',
  epoch: { number: 4, members: [{ member: 'a' }], quorums: { kind: 'majority' }, tokens: [] },
};

/** The calls that one frame causes at a member of epoch 3. */
function callsOf(epoch: number, items: readonly Item[]): readonly string[] {
  const calls: string[] = [];
  const listener: MessageListener = {
    received: (_, messages) =>
      calls.push(`received ${messages.map(({ item }) => item.kind).join(' ')}`),
    wrongEpoch: (_, other) => calls.push(`wrong epoch ${other}`),
    dropped: (what) => calls.push(`dropped ${what}`),
  };
  deliver({ epoch, items }, from, 3, listener);
  return calls;
}

test('the messages of one frame are passed on together: a step for each would cost time for every partition', () => {
  expect(callsOf(3, [ping(1), ping(2), running])).toEqual(['received ping ping running']);
});

test('of a frame of another epoch only messages of every epoch are passed on; the sender is reported once (N13)', () => {
  expect(callsOf(2, [ping(1), running, ping(2)])).toEqual([
    'received running',
    'dropped wrong-epoch',
    'wrong epoch 2',
  ]);
  expect(callsOf(2, [ping(1)])).toEqual(['dropped wrong-epoch', 'wrong epoch 2']);
});
