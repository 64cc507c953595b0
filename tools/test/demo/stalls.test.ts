import { setTimeout as pause } from 'node:timers/promises';
import { blockLoop } from '@leadership/testkit/internal';
import { describe, expect, it } from 'vitest';
import { Recorder } from '../../src/demo/recorder.ts';
import { stallWatch } from '../../src/demo/stall-watch.ts';

describe('the stalls of the demo', () => {
  it('are summed per process, because each stall delays a fail-over', async () => {
    using watch = stallWatch();
    for (let stall = 0; stall < 3; stall += 1) {
      await pause(30);
      blockLoop(60);
    }
    // The timer is late only from the end of its period, so up to one period of each stall does not
    // count.
    const stalledMs = 3 * (60 - 10);
    expect(watch.takeMs()).toBeGreaterThan(stalledMs);
    expect(watch.takeMs(), 'counted once').toBeLessThan(stalledMs);
  });

  it('are those of the member that stalled longest, because members stall at the same time', () => {
    const recorder = new Recorder(() => undefined);
    const observation = {
      kind: 'observation',
      atNs: 1n,
      state: 'waiting',
      remainingMs: 0,
    } as const;
    for (const [member, stallMs] of [
      ['alice', 5],
      ['bob', 7],
      ['alice', 5],
    ] as const)
      recorder.record({ member, message: { ...observation, stallMs } });
    expect(recorder.takeStallMs()).toBe(10);
    expect(recorder.takeStallMs()).toBe(0);
  });
});
