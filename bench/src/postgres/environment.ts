import { localPostgres } from '@leadership/tools/postgres';
import { type Child, startChild } from '@leadership/tools/processes';
import pg from 'pg';
import type { ElectionMessage } from '../process/member-messages.ts';
import type { Implementation, MemberOptions } from '../rows/fail-over.ts';

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

/** A process that runs one member. */
type Member = Child<ElectionMessage>;

/** Numbers of statements that the server has run. */
interface Statements {
  readonly reads: number;
  readonly writes: number;
}

/** A server to measure on. Its commits wait for the disk. */
export interface Environment extends AsyncDisposable {
  readonly ours: Implementation<Member>;
  readonly advisory: Implementation<Member>;
  /** Measures round trips: a durable update of one row. Milliseconds. */
  trips(count: number): Promise<readonly number[]>;
  /** Returns the number of statements of members so far. */
  statements(): Promise<Statements>;
}

/** Starts the server. */
export async function openEnvironment(): Promise<Environment> {
  const local = await localPostgres({
    fsync: true,
    settings: { shared_preload_libraries: 'pg_stat_statements' },
  });
  const { host, port, user, password, database } = local;
  const server = { host, port, user, password, database };
  const pool = new pg.Pool({ ...server, max: 1 });
  await pool.query('create extension pg_stat_statements');
  await pool.query('create table trips (id int primary key, value text)');
  await pool.query(`insert into trips values (1, '')`);
  const start = (kind: keyof typeof programs, options: MemberOptions): Member =>
    startChild(programs[kind], { input: { ...options, server } });
  return {
    ours: { name: 'postgres', start: (options) => start('postgres', options) },
    advisory: {
      name: 'advisory lock, tried every T/4; the connection of a killed process ends at once',
      start: (options) => start('advisory', options),
    },
    async trips(count) {
      const trips: number[] = [];
      for (let trip = 0; trip < count; trip += 1) {
        const began = performance.now();
        await pool.query('update trips set value = $1 where id = 1', [String(trip)]);
        trips.push(performance.now() - began);
      }
      return trips;
    },
    async statements() {
      const { rows } = await pool.query<{ kind: string; calls: string }>(
        `select case when query like 'select r.name%' then 'reads' else 'writes' end as kind, sum(calls) as calls
        from pg_stat_statements where query like 'select r.name%' or query like 'with changed%' group by 1`,
      );
      const of = (kind: string): number =>
        Number(rows.find((row) => row.kind === kind)?.calls ?? 0);
      return { reads: of('reads'), writes: of('writes') };
    },
    async [Symbol.asyncDispose]() {
      await pool.end();
      await local[Symbol.asyncDispose]();
    },
  };
}
