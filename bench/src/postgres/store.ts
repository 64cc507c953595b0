// Postgres, beside a loop over an advisory lock.
import { localPostgres } from '@leadership/tools/postgres';
import { startChild } from '@leadership/tools/processes';
import pg from 'pg';
import {
  type Member,
  type MemberOptions,
  pathTo,
  type Store,
  type StoreOptions,
} from '../rows/store.ts';

/** How to connect to the server. */
interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The input of a member process. */
export interface MemberInput extends MemberOptions {
  readonly server: ServerAddress;
}

const programs = {
  postgres: new URL('../programs/postgres-member.js', import.meta.url),
  advisory: new URL('../programs/advisory-member.js', import.meta.url),
};

/** Starts a server whose commits wait for the disk. */
export async function openPostgres({ delayMs }: StoreOptions = {}): Promise<Store> {
  const local = await localPostgres({
    fsync: true,
    settings: { shared_preload_libraries: 'pg_stat_statements' },
  });
  const way = await pathTo(local.port, delayMs);
  const { host, user, password, database } = local;
  const server = { host, port: way.port, user, password, database };
  const pool = new pg.Pool({ ...server, max: 1 });
  await pool.query('create extension pg_stat_statements');
  await pool.query('create table trips (id int primary key, value int)');
  await pool.query('insert into trips values (1, 0)');
  const start = (kind: keyof typeof programs, options: MemberOptions): Member =>
    startChild(programs[kind], { input: { ...options, server } });
  const calls = async (beginning: string): Promise<number> => {
    const { rows } = await pool.query<{ calls: string }>(
      'select coalesce(sum(calls), 0) as calls from pg_stat_statements where query like $1',
      [`${beginning}%`],
    );
    return Number(rows[0]?.calls);
  };
  return {
    kind: 'postgres',
    name: 'Postgres of this host',
    ours: { name: 'postgres', start: (options) => start('postgres', options) },
    peers: [
      {
        name: 'advisory lock, tried every T/4; the connection of a killed process ends at once',
        start: (options) => start('advisory', options),
        requests: () => calls('select pg_try_advisory_lock'),
      },
    ],
    trip: 'a durable update of one row',
    roundTrip: () => pool.query('update trips set value = value + 1 where id = 1'),
    words: { reads: 'queries', writes: 'changes' },
    requests: async () => ({
      reads: await calls('select r.name'),
      writes: await calls('with changed'),
    }),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await way[Symbol.asyncDispose]();
      await local[Symbol.asyncDispose]();
    },
  };
}
