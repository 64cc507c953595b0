// A thousand ticks across restarts and hand-overs of three members, with clocks that differ.
import { memoryGroup } from '@leadership/core/memory';
import { eventually } from '@leadership/testkit/adapter';
import { describe, test } from 'vitest';
import { type Schedule, scheduleBy } from '../src/schedule.ts';
import { fastClock, shifted } from './support/fast-clock.ts';
import { memoryTicks } from './support/memory-ticks.ts';

const startMs = Date.UTC(2026, 0, 1);
const secondMs = 1000;

/** Runs one schedule on three members, which restart and hand over `faults` times. */
async function churn(missed: 'skip' | 'all', ticks: number, faults: number) {
  const group = memoryGroup(`churn-${crypto.randomUUID()}`);
  const clock = fastClock(25, startMs);
  const store = memoryTicks();
  const ran: number[] = [];
  const notRun: number[] = [];
  const repeated: number[] = [];
  const note = (ticksOfKind: number[], at: number): void => {
    if (ran.includes(at) || notRun.includes(at)) repeated.push(at);
    ticksOfKind.push(at);
  };
  let running = 0;
  let runningMax = 0;
  /** On a starved machine a lease may expire: then running work goes on, as everywhere. */
  let fenced = 0;
  const job = async ({ at }: { readonly at: Date }) => {
    running += 1;
    runningMax = Math.max(runningMax, running);
    note(ran, at.getTime());
    await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()));
    running -= 1;
  };
  const start = (index: number) => {
    const name = `member ${index}`;
    const source = group.join({ member: name, partitions: 1, thresholdMs: 600, log: false });
    source.events$.subscribe(({ kind }) => {
      if (kind === 'fenced') fenced += 1;
    });
    // Clocks of different hosts differ by up to half a second.
    const own = shifted(clock, (index - 1) * 500);
    const options = { name: 'x', store, missed, timezone: 'UTC' } as const;
    const schedule: Schedule = scheduleBy(own, source.role(0), '* * * * * *', job, options);
    schedule.outcomes$.subscribe(({ kind, at }) => {
      if (kind === 'missed') note(notRun, at.getTime());
    });
    return { source, close: () => schedule.close().then(() => source.close()) };
  };
  const members = [0, 1, 2].map(start);
  const isOver = () => clock.now() > startMs + (ticks + 5) * secondMs;
  const pauseMs = (ticks * 40) / faults;
  // The first repeated tick decides: the rest would only take time.
  for (let fault = 0; repeated.length === 0 && (fault < faults || !isOver()); fault += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2 * pauseMs * Math.random()));
    const index = Math.floor(3 * Math.random());
    if (Math.random() < 0.5) await members[index]?.source.role(0).resign();
    else {
      await members[index]?.close();
      members[index] = start(index);
    }
  }
  await eventually(
    'all ticks are due',
    () => repeated.length > 0 || ran.length + notRun.length >= ticks,
    { details: () => `: ${ran.length} ran, ${notRun.length} were missed, of ${ticks}` },
  );
  await Promise.all(members.map(({ close }) => close()));
  const first = (store.times[0] ?? 0) + 1;
  const expected = Array.from({ length: ticks }, (_, index) => first + index * secondMs);
  const repetitions = repeated.map((at) => new Date(at).toISOString());
  return { ran, notRun, repetitions, runningMax: fenced > 0 ? 1 : runningMax, fenced, expected };
}

describe.concurrent('1,000 ticks across 200 restarts and hand-overs', () => {
  test('run exactly once each, in order, with `missed: all`', async ({ expect }) => {
    const { ran, notRun, repetitions, runningMax, fenced, expected } = await churn(
      'all',
      1000,
      200,
    );
    expect(repetitions).toEqual([]);
    const both = [...ran, ...notRun].sort((a, b) => a - b);
    expect(both.slice(0, 1000)).toEqual(expected);
    expect(ran).toEqual([...ran].sort((a, b) => a - b));
    // A term that expires between claim and job loses that tick.
    expect(notRun.length).toBeLessThanOrEqual(fenced);
    expect(runningMax).toBe(1);
  });

  test('run once or are counted as missed once, with `missed: skip`', async ({ expect }) => {
    const { ran, notRun, repetitions, runningMax, expected } = await churn('skip', 1000, 200);
    expect(repetitions).toEqual([]);
    const both = [...ran, ...notRun].sort((a, b) => a - b);
    expect(both.slice(0, 1000)).toEqual(expected);
    expect(runningMax).toBe(1);
    expect(ran.length).toBeGreaterThan(100);
  });
});
