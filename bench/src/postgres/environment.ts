import { localPostgres } from '@leadership/tools/postgres';
import { type Child, startChild } from '@leadership/tools/processes';
import pg from 'pg';
import type { ElectionMessage } from '../process/member-messages.ts';

/** How to connect to the server. */
interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The input of a member process. */
export interface MemberInput {
  readonly server: ServerAddress;
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

const programs = {
  postgres: new URL('../programs/postgres-member.js', import.meta.url),
  advisory: new URL('../programs/advisory-member.js', import.meta.url),
};

/** A process that runs one member. */
export type Member = Child<ElectionMessage>;

/** Numbers of statements that the server has run. */
interface Statements {
  readonly reads: number;
  readonly writes: number;
}

/** A server to measure on. Its commits wait for the disk. */
export interface Environment extends AsyncDisposable {
  /** Starts a member: ours, or a loop over an advisory lock. */
  start(kind: 'postgres' | 'advisory', options: Omit<MemberInput, 'server'>): Member;
  /** Measures round trips: a query without a table, and a durable update of one row. Milliseconds. */
  trips(count: number): Promise<{ readonly query: number[]; readonly update: number[] }>;
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
  return {
    start: (kind, options) => startChild(programs[kind], { input: { ...options, server } }),
    async trips(count) {
      const [query, update]: [number[], number[]] = [[], []];
      for (let trip = 0; trip < count; trip += 1) {
        query.push(await timed(() => pool.query('select $1::int', [trip])));
        const sql = 'update trips set value = $1 where id = 1';
        update.push(await timed(() => pool.query(sql, [String(trip)])));
      }
      return { query, update };
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

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
