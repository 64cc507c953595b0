import type { LeadershipSource } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import { describe, expect, test, vi } from 'vitest';
import { type ScheduleOptions, scheduleBy } from '../src/schedule.ts';
import type { TickOutcome } from '../src/tick.ts';
import type { TickStore } from '../src/tick-store.ts';
import { fastClock } from './support/fast-clock.ts';
import { memoryTicks, refusingTicks } from './support/memory-ticks.ts';

const everySecond = '* * * * * *';
const startMs = Date.UTC(2026, 0, 1);

function member(name = 'a', group = `schedule-${crypto.randomUUID()}`, thresholdMs = 1000) {
  return memoryGroup(group).join({ member: name, partitions: 1, thresholdMs, log: false });
}

/** A store in which the latest claim is `seconds` before the start of the clock. */
function claimedBefore(seconds: number) {
  const store = memoryTicks();
  store.times.push(startMs - seconds * 1000);
  return store;
}

/** The outcomes of a member that starts `awaySeconds` after the latest claim. */
async function outcomesOf(
  options: Pick<ScheduleOptions, 'missed' | 'missedMax' | 'graceMs'>,
  awaySeconds = 4,
): Promise<readonly TickOutcome[]> {
  await using source = member();
  const outcomes: TickOutcome[] = [];
  const schedule = scheduleBy(
    fastClock(50, startMs),
    source.role(0),
    everySecond,
    () => undefined,
    {
      name: 'x',
      store: claimedBefore(awaySeconds),
      timezone: 'UTC',
      graceMs: 0,
      ...options,
    },
  );
  schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
  await expect.poll(() => outcomes.some((one) => one.kind === 'ran' && !one.isLate)).toBe(true);
  await schedule.close();
  return outcomes;
}

const late = (second: number) => new Date(startMs - 1000 * second);

describe('ticks that were missed', () => {
  test('are skipped by default, and reported', async () => {
    const outcomes = await outcomesOf({});
    expect(outcomes.slice(0, 3)).toEqual([
      { kind: 'missed', at: late(3), reason: 'not-led' },
      { kind: 'missed', at: late(2), reason: 'not-led' },
      { kind: 'missed', at: late(1), reason: 'not-led' },
    ]);
  });

  test('run in order with `all`', async () => {
    expect((await outcomesOf({ missed: 'all' })).slice(0, 3)).toEqual([
      { kind: 'ran', at: late(3), isLate: true },
      { kind: 'ran', at: late(2), isLate: true },
      { kind: 'ran', at: late(1), isLate: true },
    ]);
  });

  test.each([32, 33, 34, 100])('run in order with `all`, also after %i seconds', async (away) => {
    const outcomes = await outcomesOf({ missed: 'all' }, away);
    const missed = Array.from({ length: away - 1 }, (_, index) => late(away - 1 - index));
    expect(outcomes.slice(0, away - 1)).toEqual(
      missed.map((at) => ({ kind: 'ran', at, isLate: true })),
    );
  });

  test('beyond `missedMax` are reported as one', async () => {
    const [first, second] = await outcomesOf({ missed: 'all', missedMax: 2 });
    expect(first).toEqual({ kind: 'missed', at: late(3), reason: 'not-led' });
    expect(second).toMatchObject({ kind: 'ran', isLate: true });
  });

  test('only run for the latest of them with `latest`', async () => {
    const outcomes = await outcomesOf({ missed: 'latest' });
    const firstRun = outcomes.findIndex(({ kind }) => kind === 'ran');
    expect(firstRun).toBeGreaterThanOrEqual(2);
    expect(outcomes[firstRun]).toMatchObject({ isLate: true });
    expect(outcomes.slice(0, firstRun).every(({ kind }) => kind === 'missed')).toBe(true);
  });
});

test('ticks that were missed are reported once, also if the leader changes before the next tick', async () => {
  const clock = fastClock(1, startMs);
  const options = { name: 'x', store: claimedBefore(4), timezone: 'UTC', graceMs: 0 };
  const missed: number[] = [];
  for (const name of ['first', 'second']) {
    await using source = member(name);
    const schedule = scheduleBy(clock, source.role(0), everySecond, () => undefined, options);
    const kinds: string[] = [];
    schedule.outcomes$.subscribe(({ kind, at }) => {
      kinds.push(kind);
      if (kind === 'missed') missed.push(at.getTime());
    });
    await expect.poll(() => missed.length).toBeGreaterThanOrEqual(3);
    // The second leader runs a tick, so it has looked for missed ones.
    if (name === 'second') await expect.poll(() => kinds).toContain('ran');
    await schedule.close();
  }
  expect(new Set(missed).size).toBe(missed.length);
});

test('a job that throws is reported and warned of once, and the next tick runs', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  try {
    await using source = member();
    const kinds: string[] = [];
    let runs = 0;
    const job = () => {
      runs += 1;
      if (runs < 3) throw new Error('no paper');
    };
    const options = { name: 'invoices', store: memoryTicks() };
    const schedule = scheduleBy(fastClock(50), source.role(0), everySecond, job, options);
    schedule.outcomes$.subscribe(({ kind }) => kinds.push(kind));
    await expect
      .poll(() => kinds.filter((kind) => kind !== 'missed').slice(0, 3))
      .toEqual(['failed', 'failed', 'ran']);
    await schedule.close();
    expect(warned).toHaveBeenCalledTimes(1);
    expect(warned.mock.calls[0]?.[0]).toMatch(
      /schedule "invoices": the job of .* failed: no paper/,
    );
  } finally {
    warned.mockRestore();
  }
});

test('a tick whose term ends while it is claimed does not run, and is reported as missed', async () => {
  const group = memoryGroup(`schedule-${crypto.randomUUID()}`);
  await using source = group.join({ member: 'a', partitions: 1, thresholdMs: 1000, log: false });
  const store = memoryTicks();
  const ends: TickStore = {
    latest: () => Promise.resolve(startMs - 1000),
    async claim(name, at, token) {
      const isClaimed = await store.claim(name, at, token);
      if (store.times.length === 1) await group.fence('a', 0);
      return isClaimed;
    },
  };
  const ran: number[] = [];
  const outcomes: TickOutcome[] = [];
  const schedule = scheduleBy(
    fastClock(10, startMs),
    source.role(0),
    everySecond,
    ({ at }) => ran.push(at.getTime()),
    { name: 'x', store: ends, timezone: 'UTC', missed: 'all' },
  );
  schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
  await expect.poll(() => outcomes.length).toBeGreaterThan(0);
  const at = new Date(store.times[0] ?? 0);
  expect(outcomes[0]).toEqual({ kind: 'missed', at, reason: 'term-ended' });
  expect(ran).not.toContain(store.times[0]);
  await schedule.close();
});

test('warns once if ticks are claimed far ahead of the clock, so that no job runs', async () => {
  const warnings: string[] = [];
  const listener = ({ message, code }: Error & { readonly code?: string }) => {
    if (code === 'LEADERSHIP_CLAIMED_AHEAD') warnings.push(message);
  };
  process.on('warning', listener);
  await using source = member();
  const schedules = [
    // A clock that was a day ahead has claimed the first one.
    scheduleBy(fastClock(1, startMs), source.role(0), '0 * * * *', () => undefined, {
      name: 'ahead',
      store: claimedBefore(-86_400),
      timezone: 'UTC',
    }),
    // The first leader claims the instant before the first tick, here half a year ahead.
    scheduleBy(fastClock(1, startMs), source.role(0), '0 0 1 7 *', () => undefined, {
      name: 'rare',
      store: memoryTicks(),
      timezone: 'UTC',
    }),
  ];
  await expect.poll(() => warnings.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await Promise.all(schedules.map((schedule) => schedule.close()));
  process.off('warning', listener);
  expect(warnings).toEqual([expect.stringContaining('schedule "ahead": ticks until 2026-01-02T')]);
});

describe('a tick that falls into a change of the leader', () => {
  test('runs, although no member led when it was due', async () => {
    await using source = member();
    const minutes = (count: number) => new Date(startMs - count * 60_000);
    const options = { name: 'x', store: claimedBefore(240), timezone: 'UTC', graceMs: 150_000 };
    const outcomes: TickOutcome[] = [];
    const clock = fastClock(1, startMs);
    const schedule = scheduleBy(clock, source.role(0), '* * * * *', () => undefined, options);
    schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
    await expect.poll(() => outcomes.length).toBeGreaterThan(2);
    expect(outcomes.slice(0, 3)).toEqual([
      { kind: 'missed', at: minutes(3), reason: 'not-led' },
      { kind: 'ran', at: minutes(2), isLate: false },
      { kind: 'ran', at: minutes(1), isLate: false },
    ]);
    await schedule.close();
  });

  test('runs as late as a fail-over makes it, by default', async () => {
    // A busy machine runs the tick later than when it was due a second ago.
    await using source = member('a', undefined, 30_000);
    const graceMs = source.guarantees.failoverMsMax;
    expect(graceMs).toBeGreaterThan(30_000);
    const kinds: string[] = [];
    const options = { name: 'x', store: claimedBefore(2), timezone: 'UTC' };
    const clock = fastClock(1, startMs);
    const schedule = scheduleBy(clock, source.role(0), everySecond, () => undefined, options);
    schedule.outcomes$.subscribe(({ kind }) => kinds.push(kind));
    await expect.poll(() => kinds).toContain('ran');
    expect(kinds).not.toContain('missed');
    await schedule.close();
  });
});

/** Returns the troubles of a member as one text. */
function troublesOf(source: LeadershipSource): string {
  return source
    .health()
    .troubles.map(({ code, message }) => `${code}: ${message}`)
    .join();
}

test('a store that fails costs neither the leader nor the tick, and is a trouble until it answers', async () => {
  await using source = member();
  const store = memoryTicks();
  let failures = 0;
  const fails: TickStore = {
    latest: (name) => store.latest(name),
    claim(name, at, token) {
      if (store.times.length !== 1 || failures > 2) return store.claim(name, at, token);
      failures += 1;
      return Promise.reject(new Error('no connection'));
    },
  };
  const options = { name: 'x', store: fails, graceMs: 30_000 };
  const outcomes: TickOutcome[] = [];
  const clock = fastClock(1, startMs);
  const schedule = scheduleBy(clock, source.role(0), everySecond, () => undefined, options);
  schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
  await expect.poll(() => source.role(0).isLeading()).toBe(true);
  const token = source.role(0).term()?.token;
  await expect
    .poll(() => troublesOf(source), { interval: 1, timeout: 10_000 })
    .toMatch(/work-failed: .*no connection; the call is repeated/);
  await expect.poll(() => outcomes.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(outcomes[0]).toMatchObject({ kind: 'ran', isLate: false });
  expect(source.health().ok).toBe(true);
  expect(source.role(0).term()?.token).toBe(token);
  await schedule.close();
});

test('a tick whose claim fails for longer than the grace is missed, with the error', async () => {
  await using source = member();
  const store = memoryTicks();
  const error = new Error('no connection');
  const fails: TickStore = {
    latest: (name) => store.latest(name),
    claim: (name, at, token) =>
      store.times.length === 0 ? store.claim(name, at, token) : Promise.reject(error),
  };
  const options = { name: 'x', store: fails, graceMs: 200 };
  const outcomes: TickOutcome[] = [];
  const clock = fastClock(1, startMs);
  const schedule = scheduleBy(clock, source.role(0), everySecond, () => undefined, options);
  schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
  await expect.poll(() => outcomes.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(outcomes[0]).toMatchObject({ kind: 'missed', reason: 'store-failed', error });
  expect(source.role(0).isLeading()).toBe(true);
  await schedule.close();
  expect(source.health().ok).toBe(true);
});

test('a claim whose answer was lost is not repeated: the tick might run twice', async () => {
  await using source = member();
  const store = memoryTicks();
  const loses: TickStore = {
    latest: (name) => store.latest(name),
    async claim(name, at, token) {
      const isFirst = store.times.length === 1;
      const isClaimed = await store.claim(name, at, token);
      if (isFirst) throw new Error('connection closed');
      return isClaimed;
    },
  };
  const options = { name: 'x', store: loses, graceMs: 30_000 };
  const outcomes: TickOutcome[] = [];
  const ran: number[] = [];
  const job = ({ at }: { readonly at: Date }) => ran.push(at.getTime());
  const schedule = scheduleBy(fastClock(1, startMs), source.role(0), everySecond, job, options);
  schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
  await expect.poll(() => outcomes.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(outcomes[0]).toMatchObject({ kind: 'missed', reason: 'store-failed' });
  expect(ran).not.toContain(store.times[1]);
  await schedule.close();
});

test('a tick that the store refuses because of the token is missed and a trouble, until a claim succeeds', async () => {
  await using source = member();
  const store = refusingTicks(startMs);
  const options = { name: 'x', store, timezone: 'UTC' };
  const outcomes: TickOutcome[] = [];
  const clock = fastClock(10, startMs);
  const schedule = scheduleBy(clock, source.role(0), everySecond, () => undefined, options);
  schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
  await expect.poll(() => outcomes.length).toBeGreaterThan(1);
  expect(outcomes[0]).toMatchObject({ kind: 'missed', reason: 'refused-by-token' });
  expect(troublesOf(source)).toMatch(/refuses the token \d+, because it has seen a greater one/);
  store.refuses = false;
  await expect.poll(() => outcomes.at(-1)?.kind).toBe('ran');
  expect(source.health().ok).toBe(true);
  await schedule.close();
});

test('the first term has a greater token than the store has accepted', async () => {
  const ahead = BigInt(Date.now() + 365 * 86_400_000) * 1000n;
  const store: TickStore = { ...memoryTicks(), token: () => Promise.resolve(ahead) };
  await using source = member();
  const schedule = scheduleBy(fastClock(1), source.role(0), everySecond, () => undefined, {
    name: 'x',
    store,
  });
  await expect.poll(() => source.role(0).term()?.token).toBe(ahead + 1n);
  await schedule.close();
});

test('after a tick that was refused by its token, the next term has a greater one', async () => {
  await using source = member();
  const ticks = memoryTicks();
  const ahead = BigInt(Date.now() + 365 * 86_400_000) * 1000n;
  let isAhead = false;
  const store: TickStore = {
    ...ticks,
    token: () => Promise.resolve(isAhead ? ahead : undefined),
    claim: (name, at, token) =>
      isAhead && token < ahead ? Promise.resolve(false) : ticks.claim(name, at, token),
  };
  ticks.times.push(startMs);
  const outcomes: TickOutcome[] = [];
  const options = { name: 'x', store, timezone: 'UTC' };
  const schedule = scheduleBy(
    ...([fastClock(10, startMs), source.role(0), everySecond] as const),
    () => undefined,
    options,
  );
  schedule.outcomes$.subscribe((outcome) => outcomes.push(outcome));
  await expect.poll(() => outcomes.at(-1)?.kind).toBe('ran');
  isAhead = true;
  await expect.poll(() => outcomes.at(-1)).toMatchObject({ reason: 'refused-by-token' });
  await source.role(0).resign();
  await expect.poll(() => outcomes.at(-1)?.kind, { timeout: 20_000 }).toBe('ran');
  expect(source.role(0).term()?.token).toBeGreaterThan(ahead);
  expect(source.health().ok).toBe(true);
  await schedule.close();
});

test('close waits for the running job, and completes outcomes$', async () => {
  await using source = member();
  let isRunning = false;
  let completed = false;
  const job = async () => {
    isRunning = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
    isRunning = false;
  };
  const options = { name: 'x', store: memoryTicks() };
  const schedule = scheduleBy(fastClock(50), source.role(0), everySecond, job, options);
  schedule.outcomes$.subscribe({
    complete() {
      completed = true;
    },
  });
  await expect.poll(() => isRunning).toBe(true);
  await schedule.close();
  expect({ isRunning, completed }).toEqual({ isRunning: false, completed: true });
});

test('a job may await the close of its schedule; other calls of close still wait for it', async () => {
  await using source = member();
  let isRunning = false;
  let closedFrom: 'inside' | undefined;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const job = async () => {
    isRunning = true;
    await schedule.close();
    closedFrom = 'inside';
    await finished;
    isRunning = false;
  };
  const options = { name: 'x', store: memoryTicks() };
  const schedule = scheduleBy(fastClock(50), source.role(0), everySecond, job, options);
  await expect.poll(() => closedFrom).toBe('inside');
  const closed = schedule.close().then(() => isRunning);
  finish();
  expect(await closed).toBe(false);
});

test('a schedule that a job has left behind no longer counts as its job', async () => {
  await using source = member();
  let closes: Promise<boolean> | undefined;
  let runs = 0;
  let finish = (): void => undefined;
  const job = () => {
    runs += 1;
    if (runs > 1) return new Promise<void>((resolve) => (finish = resolve));
    // The context of the first run, which is over when this is called.
    setTimeout(function later() {
      if (runs < 2) return void setTimeout(later, 1);
      closes = schedule.close().then(() => isFinished);
    }, 1);
    return undefined;
  };
  let isFinished = false;
  const options = { name: 'x', store: memoryTicks() };
  const schedule = scheduleBy(fastClock(50), source.role(0), everySecond, job, options);
  await expect.poll(() => closes !== undefined).toBe(true);
  isFinished = true;
  finish();
  expect(await closes).toBe(true);
});

test.each([
  [{ pattern: 'hourly' }, /pattern "hourly": /],
  [{ timezone: 'Mars/Olympus' }, /pattern "\* \* \* \* \*" in Mars\/Olympus: /],
  [{ missed: 'some' as never }, /missed must be skip, latest or all, not some/],
  [{ graceMs: -1 }, /graceMs must be a number of milliseconds that is not negative, not -1/],
  [{ missedMax: 0 }, /missedMax must be a positive whole number, not 0/],
  [{ name: '' }, /name must be a non-empty text/],
  [{ job: 'report' as never }, /schedule "x": the job must be a function, not report/],
])('refuses %o', async (wrong, message) => {
  await using source = member();
  const {
    pattern = '* * * * *',
    job = () => undefined,
    ...rest
  } = { name: 'x', store: memoryTicks(), ...wrong } as {
    readonly pattern?: string;
    readonly job?: () => void;
    readonly name: string;
    readonly store: ReturnType<typeof memoryTicks>;
  };
  expect(() => scheduleBy(fastClock(1), source.role(0), pattern, job, rest)).toThrow(message);
});

test('rejects `done` with the error of `ready()`', async () => {
  const group = `schedule-${crypto.randomUUID()}`;
  await using first = member('a', group);
  await first.ready();
  await using other = memoryGroup(group).join({ partitions: 2, thresholdMs: 1000, log: false });
  const options = { name: 'x', store: memoryTicks() };
  const schedule = scheduleBy(fastClock(1), other.role(0), everySecond, () => undefined, options);
  await expect(schedule.done).rejects.toMatchObject({ code: 'partitions-differ' });
});

test('refuses a source without ordered tokens with a store that compares them', async () => {
  await using source = member();
  const role = source.role(0);
  const tools = Symbol.for('@leadership/core/role-tools');
  const unordered = Object.create(role, {
    [tools]: { value: { guarantees: { ...source.guarantees, tokens: 'none' }, failoverMs: 1000 } },
  });
  const store = { ...memoryTicks(), token: () => Promise.resolve(undefined) };
  expect(() =>
    scheduleBy(fastClock(1), unordered, everySecond, () => undefined, { name: 'x', store }),
  ).toThrow('schedule "x": the store of its ticks compares tokens, but the tokens of this source');
});
