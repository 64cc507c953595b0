import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RowOutcome } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { hasPostgres } from '@leadership/tools/postgres';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connections, givenConnections } from '../src/connections.ts';
import { changed, listed, type OpenRows, openRows, prepared } from './support/open-rows.ts';
import { type TestServer, testServer } from './support/server.ts';

describe.runIf(await hasPostgres())('rows on Postgres', () => {
  let test: TestServer;
  const drivers: Record<'pg' | 'postgres', () => OpenRows> = {
    pg: () => openRows(test.config),
    postgres: () => openRows(overPostgres(test)),
  };
  beforeAll(async () => {
    test = await testServer();
    await prepared(openRows(test.config));
  });
  afterAll(() => test[Symbol.asyncDispose]());

  describe.each(['pg', 'postgres'] as const)('with the driver %s', (driver) => {
    it('creates, replaces and removes a row, and returns what it found instead', async () => {
      await using open = drivers[driver]();
      await prepared(open);
      expect(await listed(open)).toEqual(new Map());
      expect(await changed(open, 'a', null, 'one')).toEqual({ isDone: true });
      expect(await changed(open, 'a', null, 'two')).toEqual({ isDone: false, found: 'one' });
      expect(await changed(open, 'a', 'other', 'two')).toEqual({ isDone: false, found: 'one' });
      expect(await changed(open, 'a', 'one', 'two')).toEqual({ isDone: true });
      expect(await changed(open, 'a', 'one', null)).toEqual({ isDone: false, found: 'two' });
      expect(await listed(open)).toEqual(new Map([['a', 'two']]));
      expect(await changed(open, 'a', 'two', null)).toEqual({ isDone: true });
      expect(await changed(open, 'a', 'two', 'three')).toEqual({ isDone: false, found: null });
    });

    it('notifies other members of an awaited change, with the new row, and not of others', async () => {
      const group = randomUUID();
      const connections = (): Connections | TestServer['config'] =>
        driver === 'pg' ? test.config : overPostgres(test);
      await using writer = openRows(connections(), { group, member: 'w' });
      await using reader = openRows(connections(), { group, member: 'r' });
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
  });

  it('keeps the rows of groups apart', async () => {
    await using one = openRows(test.config);
    await using other = openRows(test.config);
    await changed(one, 'a', null, 'one');
    expect(await listed(other)).toEqual(new Map());
    expect(await changed(other, 'a', null, 'other')).toEqual({ isDone: true });
    expect(await listed(one)).toEqual(new Map([['a', 'one']]));
  });

  it('lets exactly one of 50 writers replace each text, and never returns a wrong text', async () => {
    const writers = await many(50);
    const history = ['0'];
    await changed(writers[0] as OpenRows, 'r', null, '0');
    for (let round = 1; round <= 40; round += 1) {
      const expected = history.at(-1) ?? '';
      const outcomes = await Promise.all(
        writers.map((writer, index) => changed(writer, 'r', expected, `${round}/${index}`)),
      );
      const winners = outcomes.flatMap(({ isDone }, index) =>
        isDone ? [`${round}/${index}`] : [],
      );
      expect(winners).toHaveLength(1);
      history.push(...winners);
      // What was found is the text of the winner: any other text would be an older one.
      for (const { isDone, found } of outcomes) {
        if (!isDone && found !== undefined) expect(found).toBe(winners[0]);
      }
    }
    expect(await listed(writers[0] as OpenRows)).toEqual(new Map([['r', history.at(-1)]]));
    await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()));
  });

  it('lets exactly one of 50 writers create a row and remove it', async () => {
    const writers = await many(50);
    for (let round = 0; round < 20; round += 1) {
      const created = await Promise.all(
        writers.map((writer, index) => changed(writer, 'r', null, `${round}/${index}`)),
      );
      expect(done(created)).toHaveLength(1);
      const [winner] = done(created);
      const text = `${round}/${winner}`;
      for (const { isDone, found } of created)
        if (!isDone && found !== undefined) expect(found).toBe(text);
      expect(
        done(await Promise.all(writers.map((writer) => changed(writer, 'r', text, null)))),
      ).toHaveLength(1);
    }
    await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()));
  });

  it('returns no text if a concurrent transaction changed the row after the snapshot', async () => {
    await using open = openRows(test.config);
    await changed(open, 'r', null, 'one');
    const other = await test.admin.connect();
    await other.query('begin');
    await other.query(`update leadership set text = 'two' where name = 'r' and text = 'one'`);
    const outcome = changed(open, 'r', 'one', 'three');
    await eventually('the writer waits for the other transaction', async () => {
      const { rows } = await test.admin.query('select 1 from pg_locks where not granted');
      return rows.length > 0;
    });
    await other.query('commit');
    other.release();
    expect(await outcome).toEqual({ isDone: false });
  });

  it('commits on disk even if the user has switched synchronous_commit off', async () => {
    const { user, database } = test.config;
    const role = `r${randomUUID().slice(0, 8)}`;
    await test.admin.query(`create role ${role} login password 'p' in role ${user}`);
    await test.admin.query(
      `alter role ${role} in database ${database} set synchronous_commit = off`,
    );
    const seen: unknown[] = [];
    const sql = postgres({ ...test.config, user: role, password: 'p', max: 1 });
    const connections = givenConnections(async (text, values) => {
      const rows = await sql.unsafe(text, [...values]);
      seen.push(rows[0]?.['durable']);
      return rows;
    }, undefined);
    const open = openRows({ ...connections, close: () => sql.end() });
    await changed(open, 'a', null, 'one');
    expect(seen).toEqual(['on']);
    expect(await sql`show synchronous_commit`).toEqual([{ synchronous_commit: 'off' }]);
    await open[Symbol.asyncDispose]();
  });

  async function many(count: number): Promise<readonly OpenRows[]> {
    const group = randomUUID();
    return Array.from({ length: count }, () => openRows(test.config, { group }));
  }
});

function done(outcomes: readonly RowOutcome[]): readonly number[] {
  return outcomes.flatMap(({ isDone }, index) => (isDone ? [index] : []));
}

/** Connections over the driver `postgres`, as an application passes them. */
function overPostgres({ config }: TestServer): Connections {
  const sql = postgres({ ...config, max: 2, onnotice: () => undefined });
  const connections = givenConnections(
    (text, values) => sql.unsafe(text, [...values]),
    async (channel, notified) => (await sql.listen(channel, notified)).unlisten,
  );
  return { ...connections, close: () => sql.end({ timeout: 1 }) };
}
