import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RowOutcome } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { type EtcdCluster, hasEtcd, startEtcd } from '@leadership/tools/etcd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Admin, administrator } from './support/admin.ts';
import { changed, listed, type OpenRows, openRows, prepared } from './support/open-rows.ts';
import { baseOf } from './support/strange-rows.ts';

describe.runIf(await hasEtcd())('rows on etcd', () => {
  let cluster: EtcdCluster;
  let admin: Admin;
  const open = (group?: string, member?: string): OpenRows =>
    openRows({ endpoints: cluster.endpoints, ...(group && { group }), ...(member && { member }) });
  beforeAll(async () => {
    cluster = await startEtcd();
    admin = administrator({ endpoints: cluster.endpoints });
  });
  afterAll(async () => {
    admin[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
  });

  it('creates, replaces and removes a row, and returns what it found instead', async () => {
    using rows = open();
    await prepared(rows);
    expect(await listed(rows)).toEqual(new Map());
    expect(await changed(rows, 'a', null, 'one')).toEqual({ isDone: true });
    expect(await changed(rows, 'a', null, 'two')).toEqual({ isDone: false, found: 'one' });
    expect(await changed(rows, 'a', 'other', 'two')).toEqual({ isDone: false, found: 'one' });
    expect(await changed(rows, 'a', 'one', 'two', true)).toEqual({ isDone: true });
    expect(await changed(rows, 'a', 'one', null)).toEqual({ isDone: false, found: 'two' });
    expect(await listed(rows)).toEqual(new Map([['a', 'two']]));
    expect(await changed(rows, 'a', 'two', null)).toEqual({ isDone: true });
    expect(await changed(rows, 'a', 'two', 'three')).toEqual({ isDone: false, found: null });
  });

  it('compares an empty text with a row, and not with a missing one', async () => {
    using rows = open();
    expect(await changed(rows, 'a', '', 'one')).toEqual({ isDone: false, found: null });
    expect(await changed(rows, 'a', null, '')).toEqual({ isDone: true });
    expect(await listed(rows)).toEqual(new Map([['a', '']]));
    expect(await changed(rows, 'a', null, 'one')).toEqual({ isDone: false, found: '' });
    expect(await changed(rows, 'a', '', 'one')).toEqual({ isDone: true });
  });

  it('shows bytes that are not UTF-8, and replaces them', async () => {
    using rows = open();
    await admin.call('kv/put', {
      key: Buffer.from(`${baseOf(rows.group)}a`).toString('base64'),
      value: Buffer.from([0xff, 0x00, 0xfe]).toString('base64'),
    });
    const text = (await listed(rows)).get('a') ?? '';
    expect(await changed(rows, 'a', '\ud800/w==', 'one')).toEqual({ isDone: false, found: text });
    expect(await changed(rows, 'a', text, 'one')).toEqual({ isDone: true });
  });

  it('keeps the rows of groups apart, whatever their names contain', async () => {
    const own = randomUUID();
    const names = ['g', 'g/h', 'g0', 'g%2Fh', 'é 🙂', '\n'].map((name) => own + name);
    const groups = names.map((name) => open(name));
    for (const [index, rows] of groups.entries())
      expect(await changed(rows, 'a', null, String(index), true)).toEqual({ isDone: true });
    for (const [index, rows] of groups.entries())
      expect(await listed(rows)).toEqual(new Map([['a', String(index)]]));
    for (const rows of groups) rows[Symbol.dispose]();
  });

  it('notifies other members of an awaited change, with the new row, and not of others', async () => {
    const group = randomUUID();
    using writer = open(group, 'w');
    using reader = open(group, 'r');
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
    await pause(100);
    expect(woken.slice(before)).toEqual([{ name: 'a', text: 'two' }]);
    expect(own).toBe(ownBefore);
    stop.abort();
  });

  it('lets exactly one of 50 writers create, replace and remove a row', async () => {
    const group = randomUUID();
    const writers = Array.from({ length: 50 }, () => open(group));
    const race = async (expected: string | null, texts: (index: number) => string | null) => {
      const outcomes = await Promise.all(
        writers.map((writer, index) => changed(writer, 'r', expected, texts(index))),
      );
      expect(winners(outcomes)).toHaveLength(1);
      const text = texts(winners(outcomes)[0] ?? -1);
      for (const { isDone, found } of outcomes) if (!isDone) expect(found).toBe(text);
      return text;
    };
    for (let round = 0; round < 10; round += 1) {
      const first = await race(null, (index) => `${round}/first/${index}`);
      const second = await race(first, (index) => `${round}/second/${index}`);
      expect(await listed(open(group))).toEqual(new Map([['r', second]]));
      await race(second, () => null);
    }
    for (const writer of writers) writer[Symbol.dispose]();
  });

  it('closes the connection of a request that is aborted', async () => {
    using rows = open();
    const over = new AbortController();
    const reading = listed(rows, over.signal);
    over.abort();
    await expect(reading).rejects.toThrow();
    expect(await listed(rows)).toEqual(new Map());
  });
});

function winners(outcomes: readonly RowOutcome[]): readonly number[] {
  return outcomes.flatMap(({ isDone }, index) => (isDone ? [index] : []));
}
