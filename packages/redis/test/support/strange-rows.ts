import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/** The keys of a group: its rows, the numbers of their changes, and the rows that were removed. */
export function keysOf(group: string): readonly [rows: string, changed: string, removed: string] {
  const key = `leadership:{${group}}`;
  return [key, `${key}:changed`, `${key}:removed`];
}

/**
 * Changes rows as the documentation tells a person to do it: members read the rows again that have no
 * number.
 */
export async function putRows(
  admin: Redis,
  group: string,
  rows: Readonly<Record<string, string>>,
): Promise<void> {
  const [key, changed] = keysOf(group);
  const edit = admin.multi();
  for (const [name, text] of Object.entries(rows)) edit.hset(key, name, text).zrem(changed, name);
  await edit.exec();
}

/** Writes rows that no member writes: foreign rows, and half of a record. */
export async function putGarbage(admin: Redis, group: string, partition: number): Promise<void> {
  const row = `partition#${partition}`;
  const text = (await admin.hget(keysOf(group)[0], row)) ?? '';
  const half = text.slice(0, text.length / 2);
  await putRows(admin, group, {
    README: 'not a partition',
    'partition#x': '{"id":7}',
    [row]: half,
  });
}

const swap = `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], ARGV[4], ARGV[5])
return 1`;

/**
 * Lets a member of a later release own the partition, with a kind and fields that this release does not
 * know (L1).
 */
export async function putOtherRelease(
  admin: Redis,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const row = `partition#${partition}`;
  const [key, changed] = keysOf(group);
  const session = `later-${randomUUID()}/1`;
  const opened = { release: 99, kind, version: 0, thresholdMs, member: 'later', proof: ['else'] };
  for (;;) {
    const text = (await admin.hget(key, row)) ?? '{}';
    const before = JSON.parse(text) as { life?: string; version?: number; token?: string };
    const { life, version = 0, token: last = '0' } = before;
    const token = String(BigInt(last) + 1n);
    const next = { release: 99, proof: ['else'], kind, life, version: version + 1, session, token };
    const rows = [JSON.stringify(next), `session#${session}`, JSON.stringify(opened)];
    if ((await admin.eval(swap, 2, key, changed, row, text, ...rows)) === 1) return;
  }
}

/** Calls the function, and then restores the keys of the group as they were before. */
export async function restoreKeys(
  admin: Redis,
  group: string,
  during: () => Promise<void>,
): Promise<void> {
  const keys = keysOf(group);
  const kept = await Promise.all(keys.map((key) => admin.dumpBuffer(key)));
  await during();
  const restoration = admin.multi();
  for (const [index, key] of keys.entries()) {
    const value = kept[index];
    if (value) restoration.restore(key, 0, value, 'REPLACE');
    else restoration.del(key);
  }
  await restoration.exec();
}

/** Restores the rows of the group as they were two renewals ago, as a restore of a backup does. */
export async function rollBack(admin: Redis, group: string): Promise<void> {
  const sessions = async (): Promise<string> => {
    const rows = await admin.hgetall(keysOf(group)[0]);
    return JSON.stringify(Object.entries(rows).filter(([name]) => name.startsWith('session#')));
  };
  await restoreKeys(admin, group, async () => {
    for (let renewals = 0, last = await sessions(); renewals < 2; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const now = await sessions();
      if (now !== last) renewals += 1;
      last = now;
    }
  });
}

/** Deletes all rows of the group. */
export async function deleteRows(admin: Redis, group: string): Promise<void> {
  await admin.del(keysOf(group)[0]);
}

/** Lists all that the keys of the group hold. */
export async function contentsOf(admin: Redis, group: string): Promise<readonly string[]> {
  const [key, ...marks] = keysOf(group);
  const rows = Object.entries(await admin.hgetall(key));
  const numbers = await Promise.all(
    marks.map((mark) => admin.zrange(mark, '0', '-1', 'WITHSCORES')),
  );
  return [...rows, ...numbers.filter(({ length }) => length > 0)].map((row) => JSON.stringify(row));
}
