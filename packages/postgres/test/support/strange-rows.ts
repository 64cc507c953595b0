import { randomUUID } from 'node:crypto';
import type pg from 'pg';

interface Row {
  readonly name: string;
  readonly text: string;
  readonly token: string | null;
}

/** Returns all rows of the group. */
async function rowsOf(admin: pg.Pool, group: string): Promise<readonly Row[]> {
  const sql = 'select name, text, token from leadership where group_name = $1 order by name';
  return (await admin.query<Row>(sql, [group])).rows;
}

/** Returns the row of a partition. */
async function ownershipOf(
  admin: pg.Pool,
  group: string,
  partition: number,
): Promise<Row | undefined> {
  return (await rowsOf(admin, group)).find(({ name }) => name === `partition#${partition}`);
}

/** Overwrites a row without a condition, as an operator can. */
async function putRow(
  admin: pg.Pool | pg.PoolClient,
  group: string,
  { name, text, token }: Row,
): Promise<void> {
  await admin.query(
    'insert into leadership (group_name, name, text, token) values ($1, $2, $3, $4) on conflict (group_name, name) do update set text = excluded.text, token = excluded.token',
    [group, name, text, token],
  );
}

/** Writes rows that no member writes: foreign rows, and half of a record. */
export async function putGarbage(admin: pg.Pool, group: string, partition: number): Promise<void> {
  await putRow(admin, group, { name: 'README', text: 'not a partition', token: null });
  await putRow(admin, group, { name: 'partition#x', text: '{"id":7}', token: null });
  const name = `partition#${partition}`;
  const { text, token } = (await ownershipOf(admin, group, partition)) ?? { text: '', token: null };
  await putRow(admin, group, { name, text: text.slice(0, text.length / 2), token });
}

/**
 * Lets a member of a later release own the partition, with a kind and fields that this release does not
 * know (L1).
 */
export async function putOtherRelease(
  admin: pg.Pool,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const session = `later-${randomUUID()}/1`;
  const opened = { release: 99, kind, version: 0, thresholdMs, member: 'later', proof: ['else'] };
  for (;;) {
    const { text = '{}' } = (await ownershipOf(admin, group, partition)) ?? {};
    const before = JSON.parse(text) as { life?: string; version?: number; token?: string };
    const { life, version = 0, token: last = '0' } = before;
    const token = String(BigInt(last) + 1n);
    const next = { release: 99, proof: ['else'], kind, life, version: version + 1, session, token };
    const client = await admin.connect();
    try {
      await client.query('begin');
      const row = { name: `session#${session}`, text: JSON.stringify(opened), token: null };
      await putRow(client, group, row);
      const { rowCount } = await client.query(
        'update leadership set text = $1, token = $2 where group_name = $3 and name = $4 and text = $5',
        [JSON.stringify(next), token, group, `partition#${partition}`, text],
      );
      await client.query(rowCount === 1 ? 'commit' : 'rollback');
      if (rowCount === 1) return;
    } finally {
      client.release();
    }
  }
}

/** Restores the rows of the group as they were two renewals ago, as a restore of a backup does. */
export async function rollBack(admin: pg.Pool, group: string): Promise<void> {
  const sessions = (rows: readonly Row[]): string =>
    JSON.stringify(rows.filter(({ name }) => name.startsWith('session#')));
  const kept = await rowsOf(admin, group);
  for (let renewals = 0, last = sessions(kept); renewals < 2; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const now = sessions(await rowsOf(admin, group));
    if (now !== last) renewals += 1;
    last = now;
  }
  const client = await admin.connect();
  await client.query('begin');
  await client.query('delete from leadership where group_name = $1', [group]);
  for (const row of kept) await putRow(client, group, row);
  await client.query('commit');
  client.release();
}

/** Deletes all rows of the group. */
export async function deleteRows(admin: pg.Pool, group: string): Promise<void> {
  await admin.query('delete from leadership where group_name = $1', [group]);
}

/** Lists all rows of the group; none if there is no table. */
export async function contentsOf(admin: pg.Pool, group: string): Promise<readonly string[]> {
  const { rows: tables } = await admin.query("select to_regclass('leadership') as name");
  if (tables[0]?.['name'] === null) return [];
  return (await rowsOf(admin, group)).map((row) => JSON.stringify(row));
}
