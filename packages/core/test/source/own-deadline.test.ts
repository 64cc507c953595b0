import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import { SourceState } from '../../src/source/source-state.ts';
import { after } from '../../src/time/instant.ts';
import { manualClock } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

describe('terms with a deadline of their own', () => {
  it('end by themselves at their latest deadline, each at its own', async () => {
    const clock = manualClock();
    const options = resolveOptions({ group: 'g', partitions: 2, thresholdMs: 1000, driftRate: 0 });
    const { guarantees } = steeredSource().source;
    const state = new SourceState(options, guarantees, clock, { slept: () => false });
    const grant = (partition: number, forMs: number): string =>
      state.granted({
        partition,
        token: 1n,
        until: after(clock.now(), forMs),
        sentAt: clock.now(),
      });
    const states = (): string[] => state.leaderships.map(({ states }) => states.value.state);

    expect([grant(0, 100), grant(1, 300)]).toEqual(['began', 'began']);
    await clock.pass(50);
    expect(grant(0, 450)).toBe('prolonged');
    await clock.pass(50);
    expect(states()).toEqual(['leading', 'leading']);
    await clock.pass(200);
    expect(states()).toEqual(['leading', 'fenced']);
    await clock.pass(200);
    expect(states()).toEqual(['fenced', 'fenced']);
  });
});
