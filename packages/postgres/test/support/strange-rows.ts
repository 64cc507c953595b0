import { parseRecord } from '@leadership/core/adapter';
import type pg from 'pg';

interface RegisterVersion {
  readonly text: string;
  readonly token: string | null;
}

/** Returns the row of a register. */
async function registerOf(
  admin: pg.Pool,
  group: string,
  partition: number,
): Promise<RegisterVersion | undefined> {
  const { rows } = await admin.query<RegisterVersion>(
    'select text, token from leadership where group_name = $1 and name = $2',
    [group, `partition#${partition}`],
  );
  return rows[0];
}

/** Overwrites the row of a register without a condition, as an operator can. */
async function putRow(
  admin: pg.Pool,
  group: string,
  name: string,
  { text, token }: RegisterVersion,
): Promise<void> {
  await admin.query(
    'insert into leadership (group_name, name, text, token) values ($1, $2, $3, $4) on conflict (group_name, name) do update set text = excluded.text, token = excluded.token',
    [group, name, text, token],
  );
}

/** Writes rows that no member writes: foreign rows, and half of a record. */
export async function putGarbage(admin: pg.Pool, group: string, partition: number): Promise<void> {
  await putRow(admin, group, 'README', { text: 'not a register', token: null });
  await putRow(admin, group, 'partition#x', { text: '{"id":7}', token: null });
  const { text, token } = (await registerOf(admin, group, partition)) ?? { text: '', token: null };
  await putRow(admin, group, `partition#${partition}`, {
    text: text.slice(0, text.length / 2),
    token,
  });
}

/**
 * Writes a record as a later release may, with a kind and fields that this release does not know
 * (L1).
 */
export async function putOtherRelease(
  admin: pg.Pool,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  for (;;) {
    const { text } = (await registerOf(admin, group, partition)) ?? { text: '' };
    const { id: after = null, height = -1, token = 0n } = parseRecord(text) ?? {};
    const { life } = JSON.parse(text) as { readonly life?: string };
    const writer = { id: `later/${height + 1}`, member: 'later', incarnation: 'later' };
    const place = { group, partition, after, height: height + 1, token: String(token + 1n) };
    const next = { version: 99, proof: ['else'], life, ...place, ...writer, kind, thresholdMs };
    const { rowCount } = await admin.query(
      'update leadership set text = $1, token = $2 where group_name = $3 and name = $4 and text = $5',
      [JSON.stringify(next), next.token, group, `partition#${partition}`, text],
    );
    if (rowCount === 1) return;
  }
}

/** Restores the row of a register as it was two versions ago, as a restore of a backup does. */
export async function rollBack(admin: pg.Pool, group: string, partition: number): Promise<void> {
  const versions: RegisterVersion[] = [];
  while (versions.length < 3) {
    const row = await registerOf(admin, group, partition);
    if (row !== undefined && row.text !== versions.at(-1)?.text) versions.push(row);
    else await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [oldest] = versions;
  if (oldest !== undefined) await putRow(admin, group, `partition#${partition}`, oldest);
}

/** Deletes all rows of the group. */
export async function deleteRows(admin: pg.Pool, group: string): Promise<void> {
  await admin.query('delete from leadership where group_name = $1', [group]);
}

/** Lists all rows of the group; none if there is no table. */
export async function contentsOf(admin: pg.Pool, group: string): Promise<readonly string[]> {
  const { rows: tables } = await admin.query("select to_regclass('leadership') as name");
  if (tables[0]?.['name'] === null) return [];
  const { rows } = await admin.query('select * from leadership where group_name = $1', [group]);
  return rows.map((row) => JSON.stringify(row));
}
