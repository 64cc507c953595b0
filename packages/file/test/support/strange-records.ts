import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord } from '@leadership/core/adapter';
import { type Layout, versionPath } from '../../src/register/layout.ts';
import { putVersion } from './put-version.ts';
import { lifeIn } from './versions.ts';

/**
 * Writes what no member writes: a foreign file, a file that resembles a version, and a truncated
 * version.
 */
export async function putGarbage(layout: Layout, partition: number): Promise<void> {
  const register = layout.register(partition);
  await writeFile(join(register, 'README'), 'not a version');
  await writeFile(join(register, '7.json.swp'), '\0\u0001\ufffd');
  await putVersion(layout, partition, (current) => current.slice(0, current.length / 2));
}

/**
 * Writes a record as a later release may, with a kind and fields that this release does not know
 * (L1).
 */
export function putOtherRelease(
  layout: Layout,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  return putVersion(layout, partition, (current) => {
    const { id: after = null, height = -1, token = 0n, group = '' } = parseRecord(current) ?? {};
    const writer = { id: `later/${height + 1}`, member: 'later', incarnation: 'later' };
    const extras = { version: 99, proof: { of: ['something', 'else'] } };
    const place = { group, partition, after, height: height + 1, token: (token + 1n).toString() };
    return JSON.stringify({ ...extras, ...place, ...writer, kind, thresholdMs });
  });
}

/**
 * Removes the latest versions, as a restore of an older copy does. Older ones are kept until there
 * are eight.
 */
export async function rollBack(layout: Layout, partition: number): Promise<void> {
  const register = layout.register(partition);
  const { mark, numbers } = await lifeIn(register);
  for (const number of numbers.slice(-2).reverse())
    await unlink(versionPath(register, { number, mark }));
}
