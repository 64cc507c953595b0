import { randomUUID } from 'node:crypto';
import type { Pool, PoolConnection, ResultSetHeader } from 'mysql2/promise';
import { rowsOf as selected } from './server.ts';

interface Row {
  readonly name: string;
  readonly text: string;
  readonly token: string | null;
}

/** Returns all rows of the group. */
async function rowsOf(admin: Pool, group: string): Promise<readonly Row[]> {
  const sql =
    'select convert(name using utf8mb4) as name, text, cast(token as char) as token from leadership where group_name = ? order by name';
  return (await selected(admin, sql, [group])) as unknown as readonly Row[];
}

/** Returns the row of a partition. */
async function ownershipOf(
  admin: Pool,
  group: string,
  partition: number,
): Promise<Row | undefined> {
  return (await rowsOf(admin, group)).find(({ name }) => name === `partition#${partition}`);
}

/** Overwrites a row without a condition, as an operator can. */
async function putRow(
  admin: Pool | PoolConnection,
  group: string,
  { name, text, token }: Row,
): Promise<void> {
  await admin.query(
    'insert into leadership (group_name, name, text, token) values (?, ?, ?, ?) on duplicate key update text = values(text), token = values(token)',
    [group, name, text, token],
  );
}

/** Writes rows that no member writes: foreign rows, and half of a record. */
export async function putGarbage(admin: Pool, group: string, partition: number): Promise<void> {
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
  admin: Pool,
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
    const client = await admin.getConnection();
    try {
      await client.query('start transaction');
      const row = { name: `session#${session}`, text: JSON.stringify(opened), token: null };
      await putRow(client, group, row);
      const [{ affectedRows }] = await client.query<ResultSetHeader>(
        'update leadership set text = ?, token = ? where group_name = ? and name = ? and text = ?',
        [JSON.stringify(next), token, group, `partition#${partition}`, text],
      );
      await client.query(affectedRows === 1 ? 'commit' : 'rollback');
      if (affectedRows === 1) return;
    } finally {
      client.release();
    }
  }
}

/** Restores the rows of the group as they were two renewals ago, as a restore of a backup does. */
export async function rollBack(admin: Pool, group: string): Promise<void> {
  const sessions = (rows: readonly Row[]): string =>
    JSON.stringify(rows.filter(({ name }) => name.startsWith('session#')));
  const kept = await rowsOf(admin, group);
  for (let renewals = 0, last = sessions(kept); renewals < 2; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const now = sessions(await rowsOf(admin, group));
    if (now !== last) renewals += 1;
    last = now;
  }
  const client = await admin.getConnection();
  await client.query('start transaction');
  await client.query('delete from leadership where group_name = ?', [group]);
  for (const row of kept) await putRow(client, group, row);
  await client.query('commit');
  client.release();
}

/** Deletes all rows of the group. */
export async function deleteRows(admin: Pool, group: string): Promise<void> {
  await admin.query('delete from leadership where group_name = ?', [group]);
}

/** Lists all rows of the group; none if there is no table. */
export async function contentsOf(admin: Pool, group: string): Promise<readonly string[]> {
  const tables = await selected(admin, "show tables like 'leadership'");
  if (tables.length === 0) return [];
  return (await rowsOf(admin, group)).map((row) => JSON.stringify(row));
}
