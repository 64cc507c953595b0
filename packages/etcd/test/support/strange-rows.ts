import { parseRecord } from '@leadership/core/adapter';
import { bytesOf } from '../../src/text.ts';
import type { Admin } from './admin.ts';

/** Returns what the keys of a group begin with. */
export function baseOf(group: string): string {
  return `leadership/${encodeURIComponent(group)}/`;
}

const registerOf = (group: string, partition: number): string =>
  `${baseOf(group)}partition#${partition}`;

/** Writes keys that no member writes: foreign rows, bytes that are not UTF-8, and half of a record. */
export async function putGarbage(admin: Admin, group: string, partition: number): Promise<void> {
  await admin.put(`${baseOf(group)}README`, 'not a register');
  await admin.put(`${baseOf(group)}partition#x`, '{"id":7}');
  await admin.put(`${baseOf(group)}member#bytes`, '\ud800/w==');
  const key = registerOf(group, partition);
  const text = (await admin.get(key)) ?? '';
  await admin.put(key, text.slice(0, text.length / 2));
}

/**
 * Writes a record as a later release may, with a kind and fields that this release does not know
 * (L1).
 */
export async function putOtherRelease(
  admin: Admin,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const key = registerOf(group, partition);
  for (;;) {
    const text = (await admin.get(key)) ?? '';
    const { id: after = null, height = -1, token = 0n } = parseRecord(text) ?? {};
    const { life } = JSON.parse(text) as { readonly life?: string };
    const writer = { id: `later/${height + 1}`, member: 'later', incarnation: 'later' };
    const place = { group, partition, after, height: height + 1, token: String(token + 1n) };
    const next = { version: 99, proof: ['else'], life, ...place, ...writer, kind, thresholdMs };
    const [name, value] = [bytesOf(key), bytesOf(JSON.stringify(next))];
    const reply = await admin.call('kv/txn', {
      compare: [{ key: name, target: 'VALUE', result: 'EQUAL', value: bytesOf(text) }],
      success: [{ request_put: { key: name, value } }],
    });
    if (reply['succeeded'] === true) return;
  }
}

/** Restores a register as it was two versions ago, as a restore of a backup does. */
export async function rollBack(admin: Admin, group: string, partition: number): Promise<void> {
  const versions: string[] = [];
  while (versions.length < 3) {
    const text = await admin.get(registerOf(group, partition));
    if (text !== null && text !== versions.at(-1)) versions.push(text);
    else await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await admin.put(registerOf(group, partition), versions[0] ?? '');
}
