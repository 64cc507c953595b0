// Postgres as the benchmarks of elections use it, beside a loop over an advisory lock as teams
// write it.
import { hasLocalPostgres, localPostgres } from '@leadership/tools/postgres';
import pg from 'pg';
import { startLoop } from '../peers/lock-loop.ts';
import type { Backend } from './backend.ts';
import { storeBackend } from './stores.ts';

/** A server of this host, whose commits wait for the disk. */
export const postgres: Backend = storeBackend({
  name: 'postgres',
  roundTrip: 'a durable update of one row',
  isOffered: () => hasLocalPostgres(),
  start: () =>
    localPostgres({
      fsync: true,
      settings: { shared_preload_libraries: 'pg_stat_statements' },
    }),
  async use({ host, user, password, database }, port) {
    const server = { host, port, user, password, database };
    const pool = new pg.Pool({ ...server, max: 1 });
    await pool.query('create extension pg_stat_statements');
    await pool.query('create table trips (id int primary key, value int)');
    await pool.query('insert into trips values (1, 0)');
    const calls = async (pattern: string): Promise<number> => {
      const { rows } = await pool.query<{ calls: string }>(
        'select coalesce(sum(calls), 0) as calls from pg_stat_statements where query like $1',
        [pattern],
      );
      return Number(rows[0]?.calls);
    };
    return {
      place: 'Postgres of this host',
      address: (group) => ({
        url: `postgres://${host}:${port}/${database}?user=${user}&group=${group}`,
        env: { PGPASSWORD: password },
      }),
      request: () => pool.query('update trips set value = value + 1 where id = 1'),
      words: { reads: 'statements', writes: 'of them with changes' },
      count: async () => ({
        reads: await calls('with here as%'),
        writes: await calls('with here as%wanted as%'),
      }),
      peers: async () => ({
        peers: [
          {
            name: 'advisory lock, tried every T/4; the connection of a killed process ends at once',
            start: (options) => startLoop('advisory-lock', server, options),
            requests: () => calls('select pg_try_advisory_lock%'),
          },
        ],
        notes: [],
      }),
      [Symbol.asyncDispose]: () => pool.end(),
    };
  },
});
