// Two members of one process that decide at once, in turns of the event loop.
import { setImmediate as nextLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTurn } from '../../src/process/next-turn.ts';
import { monotonicClock } from '../../src/time/monotonic-clock.ts';
import { manualClock } from '../support/manual-clock.ts';

it('calls what follows long work in the next turn of the event loop, in order', async () => {
  const calls: string[] = [];
  inTurn(monotonicClock, () => {
    const began = performance.now();
    while (performance.now() - began < 10);
    calls.push('first');
  });
  inTurn(monotonicClock, () => calls.push('second'));
  inTurn(monotonicClock, () => calls.push('third'));
  expect(calls).toEqual(['first']);
  await nextLoop();
  expect(calls).toEqual(['first', 'second', 'third']);
});

it('calls all in one turn while the work is short', () => {
  const clock = manualClock();
  const calls: number[] = [];
  for (let call = 0; call < 3; call += 1) inTurn(clock, () => calls.push(call));
  expect(calls).toEqual([0, 1, 2]);
});
