import { randomUUID } from 'node:crypto';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layout } from '../../src/layout.ts';
import { contentOf, versionOf } from '../../src/rows/version-name.ts';
import { putRow, versionsIn } from './rows-store.ts';

const partitionRow = (partition: number): string => `partition#${partition}`;

/**
 * Writes what no member writes: a foreign file, a file that resembles a version, a truncated version,
 * and an unreadable text.
 */
export async function putGarbage({ rows }: Layout, partition: number): Promise<void> {
  const row = partitionRow(partition);
  await writeFile(join(rows, 'README'), 'not a version');
  await writeFile(join(rows, '7.json.swp'), '\0\u0001\ufffd');
  await append(rows, row, (current) => current.slice(0, current.length / 2));
  await append(rows, row, () => contentOf('{"kind":"hold","token":'));
}

/**
 * Writes a record as a later release may, with a kind and fields that this release does not know: a
 * session of another member holds the partition, and is never renewed.
 */
export async function putOtherRelease(
  { rows }: Layout,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const session = `${randomUUID()}/1`;
  const extras = { extra: 99, proof: { of: ['something', 'else'] } };
  const live = { ...extras, kind: 'live', version: 0, thresholdMs, member: 'later', id: 'later' };
  await putRow(rows, `session#${session}`, JSON.stringify(live));
  await append(rows, partitionRow(partition), (current) => {
    const {
      life,
      version,
      token = '0',
    } = JSON.parse(current) as {
      readonly life: string;
      readonly version: number;
      readonly token?: string;
    };
    const next = { life, version: version + 1, token: `${BigInt(token) + 1n}`, seen: 0 };
    return contentOf(JSON.stringify({ ...extras, ...next, kind, session, id: 'later' }));
  });
}

/** Removes the latest version, as a restore of an older copy does. */
export async function rollBack({ rows }: Layout, partition: number): Promise<void> {
  const last = (await versionsIn(rows, partitionRow(partition))).at(-1);
  if (last !== undefined) await unlink(join(rows, last.file));
}

/** Appends a version, as a member does. `next` computes its content from the present one. */
async function append(
  directory: string,
  row: string,
  next: (current: string) => string,
): Promise<void> {
  for (;;) {
    const last = (await versionsIn(directory, row)).at(-1);
    if (last === undefined) throw new Error(`${directory} has no row ${row}`);
    const current = await readFile(join(directory, last.file), 'utf8');
    const { file } = versionOf(row, last.number + 1);
    const put = writeFile(join(directory, file), next(current), { flag: 'wx' });
    if (
      await put.then(
        () => true,
        () => false,
      )
    )
      return;
  }
}
