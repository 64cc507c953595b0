import { expect, it } from 'vitest';
import { type Log, type LogRowsOptions, logRows } from '../../src/rows/log-rows.ts';
import { MemoryLog } from '../../src/rows/memory-log.ts';
import type { Rows } from '../../src/rows/rows.ts';
import type { Instant } from '../../src/time/instant.ts';
import { monotonicClock } from '../../src/time/monotonic-clock.ts';
import { manualClock } from '../support/manual-clock.ts';

const { signal } = new AbortController();

/** Reaches a log whose fetches take a turn of the event loop. */
function reach(log: MemoryLog): Log {
  return {
    name: 'a log',
    append: async (text) => log.append(text),
    async fetch(from) {
      await new Promise((resolve) => setImmediate(resolve));
      return log.fetch(from);
    },
    end: async () => log.end,
    cut: async (below) => log.cut(below),
  };
}

async function open(
  log: MemoryLog,
  group?: string,
  mayCreate = true,
  options: LogRowsOptions = { clock: monotonicClock, copyEvery: 8, partLength: 40 },
): Promise<Rows> {
  const rows = logRows(reach(log), { ...options, ...(group !== undefined && { group }) });
  await rows.open?.(signal, mayCreate);
  return rows;
}

async function read(rows: Rows): Promise<Record<string, string | null>> {
  const answer = await rows.exchange({ changes: [], since: undefined }, signal);
  return Object.fromEntries(answer.rows);
}

it('a log that its members copy and cut shows all rows to a new member', async () => {
  const log = new MemoryLog();
  const rows = await open(log);
  let { position } = await rows.exchange({ changes: [], since: undefined }, signal);
  for (let count = 0; count < 60; count += 1) {
    const expected = count < 7 ? null : `${count - 7}`;
    const changes = [{ name: `row ${count % 7}`, expected, text: `${count}` }];
    const answer = await rows.exchange({ changes, since: position }, signal);
    expect(answer.outcomes).toEqual([true]);
    position = answer.position;
  }
  expect(log.start).toBeGreaterThan(40);
  const late = await open(log);
  const known = await read(late);
  expect(Object.keys(known)).toHaveLength(7);
  expect(known).toEqual(await read(rows));
  await rows.close();
  await late.close();
});

it('a log that was cut without a copy has no rows, and is used again', async () => {
  const log = new MemoryLog();
  log.append('');
  log.append('');
  log.cut(2);
  const rows = await open(log);
  const { position } = await rows.exchange({ changes: [], since: undefined }, signal);
  const changes = [{ name: 'a', expected: null, text: '1' }];
  expect((await rows.exchange({ changes, since: position }, signal)).outcomes).toEqual([true]);
  await rows.close();
});

it('a log without a copy is reset by a member, and never by an observer', async () => {
  const log = new MemoryLog();
  log.append('');
  log.append('');
  log.cut(2);
  const observer = await open(log, undefined, false);
  const reading = read(observer);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(log.end).toBe(2);
  const member = await open(log);
  expect(await reading).toEqual({});
  expect(log.end).toBeGreaterThan(2);
  await observer.close();
  await member.close();
});

it('a member goes on resetting a log without a copy while the log refuses that', async () => {
  const log = new MemoryLog();
  log.append('');
  log.append('');
  log.cut(2);
  const reached = reach(log);
  let refusals = 0;
  const refusing: Log = {
    ...reached,
    async append(...entry) {
      refusals += 1;
      if (refusals <= 3) throw new Error('it takes no records');
      return reached.append(...entry);
    },
  };
  const member = logRows(refusing, { clock: monotonicClock });
  await member.open?.(signal, true);
  expect(await read(member)).toEqual({});
  expect(refusals).toBeGreaterThan(3);
  await member.close();
});

it('a group keeps its rows while others copy and cut their common log', async () => {
  const log = new MemoryLog();
  const [quiet, busy] = [await open(log, 'quiet'), await open(log, 'busy')];
  let { position } = await quiet.exchange({ changes: [], since: undefined }, signal);
  const kept = [{ name: 'a', expected: null, text: 'kept' }];
  await quiet.exchange({ changes: kept, since: position }, signal);
  await quiet.close();
  ({ position } = await busy.exchange({ changes: [], since: undefined }, signal));
  for (let count = 0; count < 60; count += 1) {
    const changes = [{ name: 'a', expected: count ? `${count - 1}` : null, text: `${count}` }];
    ({ position } = await busy.exchange({ changes, since: position }, signal));
  }
  expect(log.start).toBeGreaterThan(40);
  const late = await open(log, 'quiet');
  expect(await read(late)).toEqual({ a: 'kept' });
  expect(await read(busy)).toEqual({ a: '59' });
  await busy.close();
  await late.close();
});

it('a log shows what others have changed as it is read, and asks for no reading', async () => {
  const log = new MemoryLog();
  const [rows, other] = [await open(log, 'g'), await open(log, 'g')];
  await read(rows);
  const woken: unknown[] = [];
  await rows.listen?.((shown) => woken.push(shown), signal);
  const { position } = await other.exchange({ changes: [], since: undefined }, signal);
  const changes = [
    { name: 'session#a/1', expected: null, text: '1' },
    { name: 'member#b', expected: null, text: '1' },
  ];
  await other.exchange({ changes, since: position }, signal);
  await read(rows);
  const shown = [
    ['session#a/1', '1'],
    ['member#b', '1'],
  ];
  expect(woken).toEqual([shown]);
  await rows.close();
  await other.close();
});

it('a log that few write to is copied and cut after a while', async () => {
  const log = new MemoryLog();
  let nowMs = 0;
  const clock = { ...monotonicClock, now: () => nowMs as Instant };
  const rows = await open(log, 'g', true, { clock, copyAfterMs: 1000, random: () => 0.5 });
  let { position } = await rows.exchange({ changes: [], since: undefined }, signal);
  const copies = (): number => log.records.filter(({ text }) => text?.includes('copy')).length;
  const steps: readonly (readonly [afterMs: number, found: number])[] = [
    [1499, 0],
    [1, 1],
    [1499, 1],
    [1, 2],
  ];
  for (const [count, [afterMs, found]] of steps.entries()) {
    nowMs += afterMs;
    const changes = [{ name: 'a', expected: count ? `${count - 1}` : null, text: `${count}` }];
    ({ position } = await rows.exchange({ changes, since: position }, signal));
    await expect.poll(copies).toBe(found);
    await read(rows);
  }
  await expect.poll(() => log.start).toBeGreaterThan(0);
  await rows.close();
});

it('a copy that cannot be appended is reported and repeated, and the report ends with the next copy', async () => {
  const [clock, log] = [manualClock(), new MemoryLog()];
  const reports: unknown[] = [];
  const reached = reach(log);
  let isRefused = true;
  const rows = logRows(
    {
      ...reached,
      async append(text, until) {
        if (isRefused && text.includes('"copy"')) throw new Error('too large');
        return reached.append(text, until);
      },
    },
    { clock, copyAfterMs: 1000, uncopied: (error) => reports.push(error) },
  );
  await rows.open?.(signal, true);
  let { position } = await rows.exchange({ changes: [], since: undefined }, signal);
  const change = async (expected: string | null, text: string): Promise<void> => {
    const changes = [{ name: 'a', expected, text }];
    ({ position } = await rows.exchange({ changes, since: position }, signal));
  };
  await clock.pass(2000);
  await change(null, '1');
  await expect.poll(() => reports).toEqual([new Error('too large')]);
  isRefused = false;
  await change('1', '2');
  await clock.pass(60_000);
  expect(reports).toHaveLength(1);
  await change('2', '3');
  await expect.poll(() => reports).toEqual([new Error('too large'), undefined]);
  await rows.close();
});

it('a member that reads nothing for a while finds its place in a log that others cut later', async () => {
  const log = new MemoryLog();
  const options = { clock: monotonicClock, copyEvery: 8, cutAfterMs: 300 };
  let cutOff: Promise<void> | undefined;
  const reached = reach(log);
  const rows = logRows(
    {
      ...reached,
      async fetch(...request) {
        await cutOff;
        return reached.fetch(...request);
      },
    },
    options,
  );
  await rows.open?.(signal, true);
  const { position: since } = await rows.exchange({ changes: [], since: undefined }, signal);
  let mend = (): void => undefined;
  cutOff = new Promise((resolve) => {
    mend = resolve;
  });
  const busy = await open(log, undefined, true, options);
  let { position } = await busy.exchange({ changes: [], since: undefined }, signal);
  for (let count = 0; count < 60; count += 1) {
    const changes = [{ name: 'a', expected: count ? `${count - 1}` : null, text: `${count}` }];
    ({ position } = await busy.exchange({ changes, since: position }, signal));
  }
  expect(log.start).toBe(0);
  mend();
  const answer = await rows.exchange({ changes: [], since }, signal);
  expect([answer.isRestarted, answer.rows]).toEqual([undefined, [['a', '59']]]);
  await expect.poll(() => log.start).toBeGreaterThan(20);
  await busy.close();
  await rows.close();
});

it('a request outlives one fetch that fails, and is rejected with the cause if the next one fails too', async () => {
  const log = new MemoryLog();
  let left = 0;
  const reached = reach(log);
  const rows = logRows(
    {
      ...reached,
      async fetch(from, next, until) {
        left -= 1;
        if (left >= 0) throw new Error(`failed, ${left} left`);
        return reached.fetch(from, next, until);
      },
    },
    { clock: monotonicClock },
  );
  await rows.open?.(signal, true);
  expect(await read(rows)).toEqual({});
  left = 1;
  expect(await read(rows)).toEqual({});
  left = 1000;
  // A fetch that was under way would still bring what is appended.
  await expect.poll(() => left).toBeLessThan(1000);
  log.append('{');
  await expect(read(rows)).rejects.toThrow(/^failed, \d+ left$/);
  await rows.close();
});

it('fetches that fail are repeated after longer and longer pauses, which a success makes short again', async () => {
  const clock = manualClock();
  const log = new MemoryLog();
  let failures = 0;
  let succeeds = false;
  const rows = logRows(
    {
      ...reach(log),
      async fetch(from) {
        if (succeeds) {
          succeeds = false;
          return log.fetch(from);
        }
        failures += 1;
        throw new Error('failed');
      },
    },
    { clock, pauseMsMax: 800, random: () => 0 },
  );
  await rows.open?.(signal, true);
  const failedIn = async (ms: number): Promise<number> => {
    const before = failures;
    await clock.pass(ms);
    return failures - before;
  };
  // After 25, 75, 175, 375, 775 ms, and then every 400 ms.
  expect(await failedIn(380)).toBe(4);
  expect(await failedIn(4000)).toBe(10);
  succeeds = true;
  await failedIn(400);
  expect(await failedIn(380)).toBeGreaterThanOrEqual(4);
  await rows.close();
  expect(clock.pending).toBe(0);
});

it('a log is closed at once, though its fetch ends only when it is closed', async () => {
  const log = new MemoryLog();
  let close = (): void => undefined;
  const isClosed = new Promise<never>((_, reject) => {
    close = () => reject(new Error('the connection is closed'));
  });
  const rows = logRows(
    { ...reach(log), fetch: () => isClosed, close: () => close() },
    { clock: monotonicClock },
  );
  await rows.open?.(signal, true);
  const reading = read(rows);
  reading.catch(() => undefined);
  await rows.close();
  await expect(reading).rejects.toMatchObject({ code: 'closed' });
});
