// The tests that the rows of every store pass: a read returns what was written, a conditional write
// has one winner, and others.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RowOutcome } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import {
  type AnyRows,
  changed,
  listed,
  type OpenGroup,
  type OpenRows,
  prepared,
} from './open-rows.ts';

/** Time for a notification that must not arrive. Milliseconds. */
const quietMs = 100;

/** Tests of one member, and of two. */
export function rowsTests(open: OpenGroup): void {
  textTests(open);
  groupTests(open);
}

function textTests(open: OpenGroup): void {
  it('creates, replaces and removes a row, and returns what it found instead', async () => {
    await using one = open();
    await prepared(one);
    expect(await listed(one)).toEqual(new Map());
    expect(await changed(one, 'a', null, 'one')).toEqual({ isDone: true });
    expect(await changed(one, 'a', null, 'two')).toEqual({ isDone: false, found: 'one' });
    expect(await changed(one, 'a', 'other', 'two')).toEqual({ isDone: false, found: 'one' });
    expect(await changed(one, 'a', 'one', 'zwei ✓ 🙂\n', true)).toEqual({ isDone: true });
    expect(await changed(one, 'a', 'one', null)).toEqual({ isDone: false, found: 'zwei ✓ 🙂\n' });
    expect(await listed(one)).toEqual(new Map([['a', 'zwei ✓ 🙂\n']]));
    expect(await changed(one, 'a', 'zwei ✓ 🙂\n', null)).toEqual({ isDone: true });
    expect(await changed(one, 'a', 'two', 'three')).toEqual({ isDone: false, found: null });
    expect(await listed(one)).toEqual(new Map());
  });

  it('compares an empty text with a row, and not with a missing one', async () => {
    await using one = open();
    expect(await changed(one, 'a', '', 'one')).toEqual({ isDone: false, found: null });
    expect(await changed(one, 'a', null, '')).toEqual({ isDone: true });
    expect(await listed(one)).toEqual(new Map([['a', '']]));
    expect(await changed(one, 'a', null, 'one')).toEqual({ isDone: false, found: '' });
    expect(await changed(one, 'a', '', 'one')).toEqual({ isDone: true });
  });

  it('settles a request that is given up, and serves the next one', async () => {
    await using one = open();
    const over = new AbortController();
    const reading = listed(one, over.signal);
    over.abort();
    // A function of the application cannot give up a statement.
    await reading.catch(() => undefined);
    expect(await changed(one, 'a', null, 'one')).toEqual({ isDone: true });
    expect(await listed(one)).toEqual(new Map([['a', 'one']]));
  });
}

function groupTests(open: OpenGroup): void {
  it('keeps the rows of groups apart, whatever their names contain', async () => {
    const own = randomUUID();
    const names = ['g', 'g/h', 'g0', 'g%2Fh', 'g}', "g'", 'é 🙂', '\n'].map((name) => own + name);
    const groups = names.map((group) => open({ group }));
    for (const [index, rows] of groups.entries())
      expect(await changed(rows, 'a', null, String(index), true)).toEqual({ isDone: true });
    for (const [index, rows] of groups.entries())
      expect(await listed(rows)).toEqual(new Map([['a', String(index)]]));
    await closed(groups);
  });

  it('notifies other members of an awaited change, with the new row, and not of others', async () => {
    const group = randomUUID();
    await using writer = open({ group, member: 'w' });
    await using reader = open({ group, member: 'r' });
    const stop = new AbortController();
    const woken: unknown[] = [];
    let own = 0;
    await reader.rows.listen?.((row) => woken.push(row), stop.signal);
    await writer.rows.listen?.(() => (own += 1), stop.signal);
    const [before, ownBefore] = [woken.length, own];
    await changed(writer, 'a', null, 'one');
    await changed(writer, 'a', 'lost', 'two', true);
    await changed(writer, 'a', 'one', 'two', true);
    await eventually('the reader is notified', () => woken.length > before);
    await pause(quietMs);
    expect(woken.slice(before)).toEqual([{ name: 'a', text: 'two' }]);
    expect(own).toBe(ownBefore);
    expect([...reader.host.warnings, ...writer.host.warnings]).toEqual([]);
    stop.abort();
  });
}

const [writersMax, rounds] = [50, 15];

/**
 * Tests of many members that write at once. `findsWinner`: whether a change that lost always returns
 * the text of the one that won, and not sometimes no text.
 */
export function writerTests(open: OpenGroup<AnyRows>, findsWinner: boolean): void {
  it(`lets exactly one of ${writersMax} writers create, replace and remove a row, and returns no older text`, async () => {
    const group = randomUUID();
    const writers = Array.from({ length: writersMax }, () => open({ group }));
    const race = async (
      expected: string | null,
      textOf: (index: number) => string | null,
    ): Promise<string | null> => {
      const outcomes = await Promise.all(
        writers.map((writer, index) => changed(writer, 'r', expected, textOf(index))),
      );
      const winners = done(outcomes);
      expect(winners).toHaveLength(1);
      const text = textOf(winners[0] ?? -1);
      for (const { isDone, found } of outcomes)
        if (!isDone && (findsWinner || found !== undefined)) expect(found).toBe(text);
      return text;
    };
    for (let round = 0; round < rounds; round += 1) {
      const first = await race(null, (index) => `${round}/first/${index}`);
      const second = await race(first, (index) => `${round}/second/${index}`);
      expect(await listed(writers[0] as OpenRows<AnyRows>)).toEqual(new Map([['r', second]]));
      await race(second, () => null);
    }
    await closed(writers);
  });
}

function done(outcomes: readonly RowOutcome[]): readonly number[] {
  return outcomes.flatMap(({ isDone }, index) => (isDone ? [index] : []));
}

async function closed(all: readonly OpenRows<AnyRows>[]): Promise<void> {
  await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
}
