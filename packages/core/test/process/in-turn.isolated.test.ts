// Two members of one process that decide at once, in turns of the event loop.
// Isolated: the module takes the clock as it is when it is loaded. Here that is a clock which the tests move,
// because a busy machine may pause a test for longer than a turn.
import { setImmediate as nextLoop } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { inTurn, nextTurn } from '../../src/process/next-turn.ts';

const time = vi.hoisted(() => {
  const moved = { ms: 0 };
  performance.now = () => moved.ms;
  return moved;
});
// The module is loaded, and vitest has its own clock back.
Reflect.deleteProperty(performance, 'now');

it('calls what follows long work in the next turn of the event loop, in order', async () => {
  const calls: string[] = [];
  inTurn(() => {
    time.ms += 10;
    calls.push('first');
  });
  inTurn(() => calls.push('second'));
  inTurn(() => calls.push('third'));
  expect(calls).toEqual(['first']);
  await nextLoop();
  expect(calls).toEqual(['first', 'second', 'third']);
});

it('calls all in one turn while the work is short', async () => {
  await nextLoop();
  const calls: number[] = [];
  for (let call = 0; call < 3; call += 1) inTurn(() => calls.push(call));
  expect(calls).toEqual([0, 1, 2]);
});

it('lets no call wait for others that have something to do in each turn', async () => {
  let isOver = false;
  const busy = (): void => {
    time.ms += 5;
    if (!isOver) void nextTurn().then(() => inTurn(busy));
  };
  inTurn(busy);
  inTurn(busy);
  await nextLoop();
  let waited = 0;
  const called = new Promise<void>((resolve) => inTurn(resolve));
  let isCalled = false;
  void called.then(() => {
    isCalled = true;
  });
  for (; !isCalled && waited < 50; waited += 1) await nextLoop();
  isOver = true;
  for (let turn = 0; turn < 5; turn += 1) await nextLoop();
  expect(waited).toBeLessThan(5);
});

it('takes the turns of a clock that has its own', async () => {
  const turns: (() => void)[] = [];
  const clock = { turn: (callback: () => void) => void turns.push(callback) };
  const calls: string[] = [];
  inTurn(() => calls.push('in a turn'), clock);
  const next = nextTurn(clock).then(() => calls.push('in the next turn'));
  await nextLoop();
  expect(calls).toEqual([]);
  for (const turn of turns) turn();
  await next;
  expect(calls).toEqual(['in a turn', 'in the next turn']);
});

it('counts by the real clock, also while a test has replaced it', async () => {
  await nextLoop();
  vi.useFakeTimers();
  try {
    const calls: number[] = [];
    for (let call = 0; call < 3; call += 1) {
      inTurn(() => calls.push(call));
      vi.advanceTimersByTime(1000);
    }
    expect(calls).toEqual([0, 1, 2]);
  } finally {
    vi.useRealTimers();
  }
});
