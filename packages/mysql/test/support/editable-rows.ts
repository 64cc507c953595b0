import { codeIn } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import type { EditableRows } from '@leadership/testkit/faults';
import type { Pool, PoolConnection } from 'mysql2/promise';
import { rowsOf } from './server.ts';

/** Returns the rows of the table `leadership`, edited as an operator can. */
export function editableRows(admin: Pool): EditableRows {
  return {
    async read(group) {
      const tables = await rowsOf(admin, "show tables like 'leadership'");
      if (tables.length === 0) return new Map();
      const sql =
        'select convert(name using utf8mb4) as name, text from leadership where group_name = ? order by name';
      const rows = await rowsOf(admin, sql, [group]);
      return new Map(rows.map(({ name, text }) => [String(name), String(text)]));
    },
    async write(group, texts, only) {
      const client = await admin.getConnection();
      try {
        await client.query('start transaction');
        const is =
          'select 1 from leadership where group_name = ? and name = ? and text = ? for update';
        const isAllowed = !only || (await rowsOf(client, is, [group, ...only])).length === 1;
        for (const [name, text] of isAllowed ? texts : []) await put(client, group, name, text);
        await client.query('commit');
        return isAllowed;
      } finally {
        client.release();
      }
    },
  };
}

/** Sets a row, and its token if the text has one. */
async function put(
  client: PoolConnection,
  group: string,
  name: string,
  text: string | null,
): Promise<void> {
  if (text === null) {
    await client.query('delete from leadership where group_name = ? and name = ?', [group, name]);
    return;
  }
  const token = /"token":"(\d+)"/.exec(text)?.[1] ?? null;
  await client.query(
    'insert into leadership (group_name, name, text, token) values (?, ?, ?, ?) on duplicate key update text = values(text), token = coalesce(values(token), token)',
    [group, name, text, token],
  );
}

/** Deletes all rows of the group. Repeats that after a deadlock with a member, as a person does. */
export async function deleteRows(admin: Pool, group: string): Promise<void> {
  const isDeadlock = (error: unknown): boolean => codeIn(error) === 'ER_LOCK_DEADLOCK';
  const isDone = (): Promise<boolean> =>
    admin.query('delete from leadership where group_name = ?', [group]).then(
      () => true,
      (error: unknown) => {
        if (isDeadlock(error)) return false;
        throw error;
      },
    );
  await eventually('the rows are deleted', isDone);
}
