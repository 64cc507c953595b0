import type { Exchanged, Rows } from '@leadership/core/adapter';
import { rowsChecks } from '@leadership/testkit';
import { rowsTests } from '@leadership/testkit/vitest';
import { hasLocalPostgres, hasPgbouncer } from '@leadership/tools/postgres';
import { exchanged, newGroup } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  givenByPostgres,
  openStore,
  ownConnections,
  type PostgresStore,
} from './support/rows-store.ts';

/** The checks that depend on the driver, and on a pooler between it and the server. */
const ofDrivers = [
  'changed-on-condition',
  'full-batch',
  'hostile-texts',
  'long-texts',
  'old-position',
];
const ofOwnDriver = [...ofDrivers, 'lost-reply', 'aborted-under-way', 'closed', 'notifies'];

const named = (ids: readonly string[]) => rowsChecks.filter(({ id }) => ids.includes(id));

const isPooled = await hasPgbouncer();

describe.runIf(await hasLocalPostgres())('rows on Postgres', () => {
  describe('with the driver pg', () => rowsTests(() => openStore(ownConnections)));

  describe('with the driver postgres', () =>
    rowsTests(() => openStore(givenByPostgres), named(ofOwnDriver)));

  describe.runIf(isPooled)('through PgBouncer', () =>
    rowsTests(() => openStore(ownConnections, { isPooled: true }), named(ofDrivers)),
  );

  describe('on a server of their own', () => {
    let store: PostgresStore;
    beforeAll(async () => {
      store = await openStore(ownConnections);
    });
    afterAll(() => store[Symbol.asyncDispose]());

    it('show each row once while a transaction of another application runs for long', async () => {
      const { rows, group } = await newGroup(store);
      await store.admin.query('create table other (id int)');
      const long = await store.transaction();
      // A transaction has a number once it has changed something.
      await long.query('insert into other values (1)');
      let { position } = await exchange(rows, undefined);
      for (let index = 0; index < 20; index += 1) {
        const name = `row#${index}`;
        const change = { name, expected: null, text: '1' };
        const answer = await exchange(rows, position, [change]);
        expect(answer.outcomes).toEqual([true]);
        expect(answer.rows).toEqual([[name, '1']]);
        await store.put?.(group, 'other', `${index}`);
        const next = await exchange(rows, answer.position);
        expect(next.rows).toEqual([['other', `${index}`]]);
        ({ position } = next);
      }
      await store.commit(long);
      expect((await exchange(rows, position)).rows).toEqual([]);
      await rows.close();
    });

    it('do not wait for a row that a transaction with fence() has locked', async () => {
      const { rows, group } = await newGroup(store);
      const { position } = await exchange(rows, undefined);
      const created = ['a', 'b'].map((name) => ({ name, expected: null, text: '1' }));
      const answer = await exchange(rows, position, created);
      const fencing = await store.transaction();
      const lock = 'select from leadership where group_name = $1 and name = $2 for key share';
      await fencing.query(lock, [group, 'a']);
      const changes = ['a', 'b'].map((name) => ({ name, expected: '1', text: '2' }));
      const during = await exchange(rows, answer.position, changes);
      expect(during.outcomes).toEqual([false, true]);
      await store.commit(fencing);
      const after = await exchange(rows, during.position, changes);
      expect(after.outcomes).toEqual([true, false]);
      await rows.close();
    });

    it('set the token of a partition that a session owns, with which fence() compares', async () => {
      const { rows, group } = await newGroup(store);
      const { position } = await exchange(rows, undefined);
      const common = { life: 'l', version: 1, seen: 1, partition: 0, id: '1', token: '7' };
      const texts = [
        { kind: 'hold', session: 's', ...common },
        { kind: 'release', session: 't', ...common },
        { kind: 'release', ...common },
        { kind: 'none', life: 'l', version: 0, partition: 0 },
      ].map((record) => JSON.stringify(record));
      const changes = texts.map((text, index) => ({
        name: `partition#${index}`,
        expected: null,
        text,
      }));
      await exchange(rows, position, changes);
      const found = await store.admin.query(
        'select token::text as token from leadership where group_name = $1 order by name',
        [group],
      );
      expect(found.rows.map(({ token }) => token)).toEqual(['7', '7', null, null]);
      await rows.close();
    });

    it('show all rows after the server has started again, on a disk that went back', async () => {
      const { rows } = await newGroup(store);
      const first = await exchange(rows, undefined);
      const kept = await exchange(rows, first.position, [{ name: 'a', expected: null, text: '1' }]);
      let { position } = kept;
      await store.rollBack(async () => {
        const lost = [{ name: 'a', expected: '1', text: '2' }];
        ({ position } = await exchange(rows, position, lost));
      });
      const answer = await exchange(rows, position);
      expect(answer).toMatchObject({ isWhole: true, rows: [['a', '1']] });
      await rows.close();
    });

    it('show another history if the log of the server went back', async () => {
      const { rows } = await newGroup(store);
      const first = await exchange(rows, undefined);
      const kept = await exchange(rows, first.position, [{ name: 'a', expected: null, text: '1' }]);
      let { position } = kept;
      await store.rollBack(async () => {
        await store.admin.query('create table long as select generate_series(1, 100000)');
        const lost = [{ name: 'a', expected: '1', text: '2' }];
        ({ position } = await exchange(rows, position, lost));
      });
      const answer = await exchange(rows, position, [{ name: 'a', expected: '1', text: '3' }]);
      expect(answer).toMatchObject({ outcomes: [false], isRestarted: true, rows: [['a', '1']] });
      await rows.close();
    });
  });
});

/** Asks again where the connection has ended with the server. */
async function exchange(
  rows: Rows,
  since: unknown,
  changes: readonly { name: string; expected: string | null; text: string }[] = [],
): Promise<Exchanged> {
  const send = (): Promise<Exchanged> => exchanged(rows, since, changes);
  return send().catch(send);
}
