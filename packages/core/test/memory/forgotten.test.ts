import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { openLeadership } from '../../src/index.ts';

/** A starved machine stands still for seconds: what is waited for takes milliseconds. */
const soon = { timeout: 20_000, interval: 5 };

describe('a memory group', () => {
  it('lives on while it has members, held by anybody or not: a second one of its name would lead beside it', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const states: string[] = [];
    await (async () => {
      const forgotten = await openLeadership('memory:forgotten', { thresholdMs: 500, member: 'first' });
      forgotten.role('job').leadership$.subscribe(({ state }) => states.push(state));
    })();
    await vi.waitFor(() => expect(states.at(-1)).toBe('leading'), soon);
    for (let round = 0; round < 5; round += 1) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const second = await openLeadership('memory:forgotten', { thresholdMs: 500, member: 'second', campaign: false });
    await vi.waitFor(() => expect(second.role('job').leader()?.member).toBe('first'), soon);
    await second.close();
  });
});
