// A member process that loops over an advisory lock of Postgres. It leads as long as its connection
// lives.
import pg from 'pg';
import { loop } from '../peers/lock-loop.ts';

const lock = 4711;

await loop(async (server: pg.ClientConfig) => {
  const client = new pg.Client(server);
  await client.connect();
  return {
    async take() {
      const { rows } = await client.query('select pg_try_advisory_lock($1) as is_taken', [lock]);
      return rows[0].is_taken === true;
    },
    extend: () => Promise.resolve(true),
    release: () => client.query('select pg_advisory_unlock($1)', [lock]),
  };
});
