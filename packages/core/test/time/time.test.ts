import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLeadership } from '../../src/source/open-leadership.ts';
import { alarm } from '../../src/time/alarm.ts';
import { type Instant, after as later, longAgo, never } from '../../src/time/instant.ts';
import { monotonicClock } from '../../src/time/monotonic-clock.ts';
import { suspendWatch } from '../../src/time/suspend-watch.ts';
import { pass, passUntil } from '../support/fake-time.ts';
import { manualClock } from '../support/manual-clock.ts';

const at = (ms: number): Instant => ms as Instant;

describe('an alarm', () => {
  it('wakes each index once, at its own instant, on one timer', async () => {
    const clock = manualClock(0);
    const rung: [number, number][] = [];
    const wakeUps = alarm(clock, (index) => rung.push([index, clock.now()]));
    wakeUps.set(2, at(30));
    wakeUps.set(0, at(10));
    wakeUps.set(1, at(20));
    expect(clock.pending).toBe(1);
    await clock.pass(100);
    expect(rung).toEqual([
      [0, 10],
      [1, 20],
      [2, 30],
    ]);
    expect(clock.pending).toBe(0);
  });

  it('needs no timer call to postpone a wake-up, and never wakes an index that is set to never', async () => {
    const clock = manualClock(0);
    const rung: number[] = [];
    const wakeUps = alarm(clock, () => rung.push(clock.now()));
    wakeUps.set(0, at(10));
    const { wake } = clock;
    let timers = 0;
    clock.wake = (...args) => {
      timers += 1;
      return wake(...args);
    };
    wakeUps.set(0, at(50));
    expect(timers).toBe(0);
    wakeUps.set(1, at(20));
    wakeUps.set(1, never);
    await clock.pass(100);
    expect(rung).toEqual([50]);
  });

  it('wakes at once for an instant that has passed, and again if its callback sets it again', async () => {
    const clock = manualClock(100);
    const rung: number[] = [];
    const wakeUps = alarm(clock, () => {
      rung.push(clock.now());
      if (rung.length < 3) wakeUps.set(0, later(clock.now(), 5));
    });
    wakeUps.set(0, longAgo);
    await clock.pass(50);
    expect(rung).toEqual([100, 105, 110]);
  });

  it('leaves no timer after dispose, and accepts no more wake-ups', async () => {
    const clock = manualClock(0);
    const wakeUps = alarm(clock, () => expect.unreachable());
    wakeUps.set(0, at(10));
    wakeUps[Symbol.dispose]();
    wakeUps.set(0, at(20));
    expect(clock.pending).toBe(0);
    await clock.pass(100);
  });
});

describe('the monotonic clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('reads the performance global in the call, so that fake timers control it', async () => {
    const before = monotonicClock.now();
    const micros = monotonicClock.wallMicros();
    await pass(1000);
    expect(monotonicClock.now() - before).toBe(1000);
    expect(monotonicClock.wallMicros() - micros).toBe(1_000_000);
  });

  it('does not follow the wall clock', () => {
    const before = monotonicClock.now();
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(monotonicClock.now()).toBe(before);
  });

  it('never wakes early: a timer that fires too soon is set again', async () => {
    let skew = 0;
    const spy = vi.spyOn(performance, 'now');
    const start = Date.now();
    spy.mockImplementation(() => Date.now() - start - skew);
    let wokenAt: number | undefined;
    monotonicClock.wake(at(10), () => {
      wokenAt = performance.now();
    });
    skew = 0.9;
    await pass(10);
    expect(wokenAt).toBeUndefined();
    skew = 0;
    await pass(1);
    expect(wokenAt).toBeGreaterThanOrEqual(10);
    spy.mockRestore();
  });

  it('waits longer than the longest timer, and can be cancelled', async () => {
    const days = 30 * 86_400_000;
    let rung = 0;
    const ring = (): void => {
      rung += 1;
    };
    monotonicClock.wake(later(monotonicClock.now(), days), ring);
    monotonicClock.wake(later(monotonicClock.now(), 10), ring)[Symbol.dispose]();
    monotonicClock.wake(never, ring)[Symbol.dispose]();
    await pass(days - 1);
    expect(rung).toBe(0);
    await pass(1);
    expect(rung).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a suspend watch (H6)', () => {
  const watched = (): {
    clock: { now: number; boot: number; cost: number };
    slept: () => boolean;
  } => {
    const clock = { now: 1000, boot: 50_000, cost: 0 };
    const now = (): Instant => {
      clock.now += clock.cost;
      return at(clock.now);
    };
    // Boot time in steps of 10 ms, as Linux reports it.
    const watch = suspendWatch(now, () => Math.floor(clock.boot / 10) * 10);
    return { clock, slept: () => watch.slept() };
  };
  const run = (clock: { now: number; boot: number }, ms: number, sleptMs = 0): void => {
    clock.now += ms;
    clock.boot += ms + sleptMs;
  };

  it('detects a sleep once', () => {
    const { clock, slept } = watched();
    run(clock, 500);
    expect(slept()).toBe(false);
    run(clock, 500, 60_000);
    expect([slept(), slept()]).toEqual([true, false]);
    run(clock, 500, 31);
    expect([slept(), slept()]).toEqual([true, false]);
  });

  it('does not mistake rounding for sleep, wherever within a step it was first read', () => {
    for (let phase = 0; phase < 10; phase += 1) {
      const { clock, slept } = watched();
      clock.boot += phase;
      for (let tick = 0; tick < 200; tick += 1) {
        run(clock, 3.7);
        expect(slept()).toBe(false);
      }
    }
  });

  it('does not mistake preemption between two reads for sleep', () => {
    const { clock, slept } = watched();
    clock.cost = 300;
    run(clock, 500, 0);
    expect(slept()).toBe(false);
    clock.cost = 0;
    expect(slept()).toBe(false);
    run(clock, 500, 60_000);
    clock.cost = 300;
    expect(slept()).toBe(false);
    clock.cost = 0;
    expect(slept()).toBe(true);
  });

  it('recovers from preemption during its creation', () => {
    let boot = 50_000;
    let now = 1000;
    let isFirst = true;
    const read = (): number => {
      if (isFirst) {
        isFirst = false;
        now += 300;
        boot += 300;
        return boot - 300;
      }
      return boot;
    };
    const watch = suspendWatch(() => at(now), read);
    now += 100;
    boot += 100;
    expect(watch.slept()).toBe(false);
  });
});

describe('fake time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('drives a source on the memory backend: it leads, renews, and only the clock reveals a crash', async () => {
    const source = await openLeadership('memory:fake-time?thresholdMs=1000&partitions=1');
    const states: string[] = [];
    source.role('r').leadership$.subscribe(({ state }) => states.push(state));
    await source.ready();
    await pass(10);
    expect(states).toEqual(['waiting', 'leading']);
    await pass(60_000);
    expect(source.role('r').isLeading()).toBe(true);
    expect(states).toEqual(['waiting', 'leading']);
    await passUntil(source.close());
    expect(states).toEqual(['waiting', 'leading', 'revoking', 'waiting']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
