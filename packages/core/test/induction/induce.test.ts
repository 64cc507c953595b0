import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/source/deferred.ts';
import { inductionOf, thresholdMs } from '../support/induction.ts';
import { manualClock } from '../support/manual-clock.ts';
import { steeredBroker } from '../support/steered-broker.ts';

describe('induction at work', () => {
  it('leads what is assigned once its own beat came back, and renews with every beat (I1, I3)', async () => {
    const clock = manualClock();
    const broker = steeredBroker(clock);
    const a = inductionOf(broker, clock);
    a.assign([0], { generation: 1 });
    await a.source.ready();
    expect(a.source.role(0).isLeading()).toBe(false);
    await clock.pass(20);
    expect(a.source.role(0).isLeading()).toBe(true);
    expect(a.source.role(1).isLeading()).toBe(false);
    await clock.pass(10 * thresholdMs);
    expect(a.source.role(0).remainingMs()).toBeGreaterThan(thresholdMs / 2);
    expect(broker.log.length).toBeGreaterThan(90);
    await a.source.close({ signal: AbortSignal.abort() });
    expect(clock.pending).toBe(0);
    expect(a.closed).toEqual(['assignment', 'beats']);
  });

  it('leaves no gap at a planned move: the old owner leads until the new one does, then drains (I1)', async () => {
    const clock = manualClock();
    const broker = steeredBroker(clock);
    const [a, b] = [inductionOf(broker, clock, { member: 'a' }), inductionOf(broker, clock, { member: 'b' })];
    const leading = (): string =>
      [a, b]
        .filter(({ source }) => source.role(0).isLeading())
        .map(({ source }) => source.member)
        .join();
    a.assign([0, 1], { generation: 1 });
    b.assign([], { generation: 1 });
    await clock.pass(50);
    const work = deferred<void>();
    void a.source.role(0).lead(() => work.promise);
    await clock.pass(50);
    expect(leading()).toBe('a');
    a.assign([1], { generation: 2 });
    await clock.pass(200);
    expect(leading()).toBe('a');
    b.assign([0], { generation: 2 });
    const seen: string[] = [];
    for (let step = 0; step < 40; step += 1) {
      await clock.pass(1);
      seen.push(leading());
    }
    expect(new Set(seen)).toEqual(new Set(['a', 'a,b']));
    work.resolve();
    await clock.pass(1);
    expect(leading()).toBe('b');
    await clock.pass(thresholdMs);
    expect(leading()).toBe('b');
    expect(a.source.roster().get(0)?.member).toBe('b');
    await Promise.all([a.source.close({ signal: AbortSignal.abort() }), b.source.close({ signal: AbortSignal.abort() })]);
  });
});
