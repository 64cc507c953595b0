// Keeps claimed ticks in Postgres.
import { LeadershipError } from '@leadership/core';
import type { TickStore } from './tick-store.ts';

/**
 * Sends one statement with its parameters `$1`, `$2`, …: `(text, values) => pool.query(text,
 * values)` of the package `pg`, or the like of any driver that resolves with rows.
 */
export type SendStatement = (
  text: string,
  values: readonly string[],
) => PromiseLike<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/** Options for {@link postgresTicks}. */
export interface PostgresTicksOptions {
  /** The name of the table, as an unquoted SQL name. Default `leadership_ticks`. */
  readonly table?: string;
}

/** Unquoted names of SQL, with an optional schema. */
const sqlName = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/;

/**
 * Creates a store in a table of Postgres, one row per schedule. The table is created if it is
 * missing. A claim is one statement, and compares the token too.
 *
 * @throws LeadershipError `invalid-options` if the name of the table is not an SQL name
 */
export function postgresTicks(
  send: SendStatement,
  { table = 'leadership_ticks' }: PostgresTicksOptions = {},
): TickStore {
  if (!sqlName.test(table))
    throw new LeadershipError(
      'invalid-options',
      `table "${table}" must be a lower-case SQL name, such as jobs.leadership_ticks`,
    );
  let creating: Promise<unknown> | undefined;
  const created = (): Promise<unknown> => {
    creating ??= createTable(send, table).catch((error: unknown) => {
      creating = undefined;
      throw error;
    });
    return creating;
  };
  return {
    async token(name) {
      await created();
      const { rows } = await send(`select token::text as token from ${table} where name = $1`, [
        name,
      ]);
      return rows[0] && BigInt(String(rows[0]['token']));
    },
    async latest(name) {
      await created();
      const { rows } = await send(`select claimed_at::text as at from ${table} where name = $1`, [
        name,
      ]);
      return rows[0] && Number(rows[0]['at']);
    },
    async claim(name, at, token) {
      await created();
      const { rows } = await send(
        `insert into ${table} as ticks (name, claimed_at, token) values ($1, $2::bigint, $3::bigint)
         on conflict (name) do update set claimed_at = excluded.claimed_at, token = excluded.token
         where ticks.claimed_at < excluded.claimed_at and ticks.token <= excluded.token
         returning 1 as claimed`,
        [name, String(at), String(token)],
      );
      return rows.length === 1;
    },
  };
}

/** Two members may create the table at the same time: one of them then fails, but it exists. */
async function createTable(send: SendStatement, table: string): Promise<void> {
  const columns = 'name text primary key, claimed_at bigint not null, token bigint not null';
  try {
    await send(`create table if not exists ${table} (${columns})`, []);
  } catch (error) {
    const isMissing = await send(`select to_regclass($1) is null as missing`, [table]).then(
      ({ rows }) => rows[0]?.['missing'] !== false,
    );
    if (isMissing) throw error;
  }
}
