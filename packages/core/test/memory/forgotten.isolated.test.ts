import { describe, expect, it } from 'vitest';
import { openLeadership } from '../../src/index.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

describe('a memory group', () => {
  it('exists while it has members, referenced or not: a second group of its name would lead at the same time', async () => {
    const states: string[] = [];
    await (async () => {
      const forgotten = await openLeadership('memory:forgotten', {
        thresholdMs: 500,
        member: 'first',
      });
      forgotten.role('job').leadership$.subscribe(({ state }) => states.push(state));
    })();
    await expect.poll(() => states.at(-1)).toBe('leading');
    await collectGarbage();
    const second = await openLeadership('memory:forgotten', {
      thresholdMs: 500,
      member: 'second',
      campaign: false,
    });
    await expect.poll(() => second.role('job').leader()?.member).toBe('first');
    await second.close();
  });
});
