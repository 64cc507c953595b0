import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import { SourceState } from '../../src/source/source-state.ts';
import { after, type Instant } from '../../src/time/instant.ts';
import { manualClock } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

describe('a sleep of the machine (H6)', () => {
  const thresholdMs = 1000;
  const withState = (): {
    state: SourceState;
    sleep: () => void;
    grant: (partition: number, sentMsAgo: number, forMs?: number) => string;
  } => {
    const clock = manualClock();
    let slept = false;
    const watch = {
      slept: () => {
        const answer = slept;
        slept = false;
        return answer;
      },
    };
    const { guarantees } = steeredSource().source;
    const state = new SourceState(
      resolveOptions({ group: 'g', partitions: 2, thresholdMs, driftRate: 0 }),
      guarantees,
      clock,
      watch,
    );
    const grant = (partition: number, sentMsAgo: number, forMs = thresholdMs): string => {
      const until = after(clock.now(), forMs - sentMsAgo);
      return state.granted({ partition, token: 1n, until, sentAt: (until - forMs) as Instant });
    };
    const sleep = (): void => {
      slept = true;
      clock.block(1);
    };
    return { state, sleep, grant };
  };

  it('ends every term at the first proof that follows', () => {
    const { state, sleep, grant } = withState();
    expect([grant(0, 10), grant(1, 10)]).toEqual(['began', 'began']);
    sleep();
    expect(grant(0, 0)).toBe('over');
    expect(state.leaderships.map((leadership) => leadership.states.value)).toMatchObject([
      { state: 'fenced', reason: 'suspended' },
      { state: 'fenced', reason: 'suspended' },
    ]);
  });

  it('invalidates every proof that was sent before it, whichever partition detected it', () => {
    const { sleep, grant } = withState();
    sleep();
    expect(grant(0, 10)).toBe('over');
    expect(grant(1, 10)).toBe('over');
    expect(grant(1, 10, 9 * thresholdMs)).toBe('over');
    expect(grant(1, 0)).toBe('began');
  });
});
