import type { EditableRows } from '@leadership/testkit/faults';
import type pg from 'pg';

/** Returns the rows of the table `leadership`, edited as an operator can. */
export function editableRows(admin: pg.Pool): EditableRows {
  return {
    async read(group) {
      const { rows: tables } = await admin.query("select to_regclass('leadership') as name");
      if (tables[0]?.['name'] === null) return new Map();
      const sql = 'select name, text from leadership where group_name = $1 order by name';
      const { rows } = await admin.query<{ name: string; text: string }>(sql, [group]);
      return new Map(rows.map(({ name, text }) => [name, text]));
    },
    async write(group, texts, only) {
      const client = await admin.connect();
      try {
        await client.query('begin');
        const is =
          'select from leadership where group_name = $1 and name = $2 and text = $3 for update';
        const isAllowed = !only || (await client.query(is, [group, ...only])).rowCount === 1;
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
  client: pg.PoolClient,
  group: string,
  name: string,
  text: string | null,
): Promise<void> {
  if (text === null) {
    await client.query('delete from leadership where group_name = $1 and name = $2', [group, name]);
    return;
  }
  const token = /"token":"(\d+)"/.exec(text)?.[1] ?? null;
  await client.query(
    'insert into leadership (group_name, name, text, token) values ($1, $2, $3, $4) on conflict (group_name, name) do update set text = excluded.text, token = coalesce(excluded.token, leadership.token)',
    [group, name, text, token],
  );
}

/** Deletes all rows of the group. */
export async function deleteRows(admin: pg.Pool, group: string): Promise<void> {
  await admin.query('delete from leadership where group_name = $1', [group]);
}
