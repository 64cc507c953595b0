import { expect, test } from 'vitest';
import { newHistory } from '../../src/kernel/history-hash.ts';
import { clockOf, endLife } from '../../src/kernel/process.ts';
import { newQueue } from '../../src/kernel/queue.ts';
import { runUntil, type Timeline } from '../../src/kernel/timeline.ts';
import { Process } from '../../src/kernel/world.ts';

test('the clock of a life that is over sets no timer in the next one', () => {
  const world: Timeline = { queue: newQueue(), now: 0, history: newHistory(1) };
  const node = new Process(0, world, 1000);
  const rung: string[] = [];
  const first = clockOf(world, node);
  const due = first.now();
  first.wake(due, () => rung.push('before the end'));
  endLife(node);
  first.wake(due, () => rung.push('after the end'));
  clockOf(world, node).wake(due, () => rung.push('in the next life'));
  runUntil(world, 1);
  expect(rung).toEqual(['in the next life']);
});
