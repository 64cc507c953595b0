import { parseRecord } from '@leadership/core/adapter';
import type { Redis } from 'ioredis';

const keyOf = (group: string): string => `leadership:{${group}}`;

/** Writes rows that no member writes: foreign rows, and half of a record. */
export async function putGarbage(admin: Redis, group: string, partition: number): Promise<void> {
  const register = `partition#${partition}`;
  const text = (await admin.hget(keyOf(group), register)) ?? '';
  const half = text.slice(0, text.length / 2);
  await admin.hset(keyOf(group), 'README', 'not a register', 'partition#x', '{"id":7}');
  await admin.hset(keyOf(group), register, half);
}

/**
 * Writes a record as a later release may, with a kind and fields that this release does not know
 * (L1).
 */
export async function putOtherRelease(
  admin: Redis,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const register = `partition#${partition}`;
  const swap = `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) return 1`;
  for (;;) {
    const text = (await admin.hget(keyOf(group), register)) ?? '';
    const { id: after = null, height = -1, token = 0n } = parseRecord(text) ?? {};
    const { life } = JSON.parse(text) as { readonly life?: string };
    const writer = { id: `later/${height + 1}`, member: 'later', incarnation: 'later' };
    const place = { group, partition, after, height: height + 1, token: String(token + 1n) };
    const next = { version: 99, proof: ['else'], life, ...place, ...writer, kind, thresholdMs };
    const done = await admin.eval(swap, 1, keyOf(group), register, text, JSON.stringify(next));
    if (done === 1) return;
  }
}

/** Restores the row of a register as it was two versions ago, as a restore of a backup does. */
export async function rollBack(admin: Redis, group: string, partition: number): Promise<void> {
  const register = `partition#${partition}`;
  const versions: string[] = [];
  while (versions.length < 3) {
    const text = await admin.hget(keyOf(group), register);
    if (text !== null && text !== versions.at(-1)) versions.push(text);
    else await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await admin.hset(keyOf(group), register, versions[0] ?? '');
}

/** Deletes all rows of the group. */
export async function deleteRows(admin: Redis, group: string): Promise<void> {
  await admin.del(keyOf(group));
}

/** Lists all rows of the group. */
export async function contentsOf(admin: Redis, group: string): Promise<readonly string[]> {
  const rows = await admin.hgetall(keyOf(group));
  return Object.entries(rows).map((row) => JSON.stringify(row));
}
