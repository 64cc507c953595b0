import { setTimeout as pause } from 'node:timers/promises';
import { blockLoop } from '@leadership/testkit/faults';
import { describe, expect, it } from 'vitest';
import { Chronicle } from '../../src/demo/chronicle.ts';
import { stallWatch } from '../../src/demo/stall-watch.ts';

describe('the stalls of the demo', () => {
  it('are added up in a process: each makes a fail-over later', async () => {
    using watch = stallWatch();
    for (let stall = 0; stall < 3; stall += 1) {
      await pause(30);
      blockLoop(60);
    }
    // What is left of the period when the loop stops is not late yet.
    const stoodMs = 3 * (60 - 10);
    expect(watch.takeMs()).toBeGreaterThan(stoodMs);
    expect(watch.takeMs(), 'counted once').toBeLessThan(stoodMs);
  });

  it('are those of the member that stood still most: members stand still at the same time', () => {
    const chronicle = new Chronicle(() => undefined);
    const look = { kind: 'look', atNs: 1n, state: 'waiting', remainingMs: 0 } as const;
    for (const [member, stallMs] of [
      ['alice', 5],
      ['bob', 7],
      ['alice', 5],
    ] as const)
      chronicle.hear({ member, note: { ...look, stallMs } });
    expect(chronicle.takeStallMs()).toBe(10);
    expect(chronicle.takeStallMs()).toBe(0);
  });
});
