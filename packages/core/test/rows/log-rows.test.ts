import { expect, it } from 'vitest';
import { type Log, logRows } from '../../src/rows/log-rows.ts';
import { MemoryLog } from '../../src/rows/memory-log.ts';
import type { Rows } from '../../src/rows/rows.ts';
import { monotonicClock } from '../../src/time/monotonic-clock.ts';

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

async function open(log: MemoryLog): Promise<Rows> {
  const rows = logRows(reach(log), { clock: monotonicClock, copyEvery: 8, partLength: 40 });
  await rows.open?.(signal, true);
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
