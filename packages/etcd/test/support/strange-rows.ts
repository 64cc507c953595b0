import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { bytesOf } from '../../src/text.ts';
import type { Admin } from './admin.ts';

/** Returns what the keys of a group begin with. */
export function baseOf(group: string): string {
  return `leadership/${encodeURIComponent(group)}/`;
}

const ownershipOf = (group: string, partition: number): string =>
  `${baseOf(group)}partition#${partition}`;

/** Writes keys that no member writes: foreign rows, bytes that are not UTF-8, and half of a record. */
export async function putGarbage(admin: Admin, group: string, partition: number): Promise<void> {
  await admin.put(`${baseOf(group)}README`, 'not a partition');
  await admin.put(`${baseOf(group)}partition#x`, '{"id":7}');
  await admin.put(`${baseOf(group)}member#bytes`, '\ud800/w==');
  const key = ownershipOf(group, partition);
  const text = (await admin.get(key)) ?? '';
  await admin.put(key, text.slice(0, text.length / 2));
}

/**
 * Lets a member of a later release own the partition, with a kind and fields that this release does not
 * know (L1).
 */
export async function putOtherRelease(
  admin: Admin,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const key = ownershipOf(group, partition);
  const session = `later-${randomUUID()}/1`;
  const opened = { release: 99, kind, version: 0, thresholdMs, member: 'later', proof: ['else'] };
  for (;;) {
    const text = (await admin.get(key)) ?? '{}';
    const before = JSON.parse(text) as { life?: string; version?: number; token?: string };
    const { life, version = 0, token: last = '0' } = before;
    const token = String(BigInt(last) + 1n);
    const next = { release: 99, proof: ['else'], kind, life, version: version + 1, session, token };
    const put = (name: string, value: object) => ({
      request_put: { key: bytesOf(name), value: bytesOf(JSON.stringify(value)) },
    });
    const reply = await admin.call('kv/txn', {
      compare: [{ key: bytesOf(key), target: 'VALUE', result: 'EQUAL', value: bytesOf(text) }],
      success: [put(`${baseOf(group)}session#${session}`, opened), put(key, next)],
    });
    if (reply['succeeded'] === true) return;
  }
}

/** Restores the keys of the group as they were two renewals ago, as a restore of a backup does. */
export async function rollBack(admin: Admin, group: string): Promise<void> {
  const base = baseOf(group);
  const sessions = async (): Promise<string> =>
    (await admin.list(base)).filter((key) => key.startsWith(`${base}session#`)).join();
  const kept = await admin.entries(base);
  for (let renewals = 0, last = await sessions(); renewals < 2; ) {
    await pause(10);
    const now = await sessions();
    if (now !== last) renewals += 1;
    last = now;
  }
  const names = new Set(kept.map(([key]) => key));
  const lost = (await admin.entries(base)).filter(([key]) => !names.has(key));
  await admin.call('kv/txn', {
    success: [
      ...kept.map(([key, text]) => ({ request_put: { key: bytesOf(key), value: bytesOf(text) } })),
      ...lost.map(([key]) => ({ request_delete_range: { key: bytesOf(key) } })),
    ],
  });
}
