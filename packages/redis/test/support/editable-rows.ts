import type { EditableRows } from '@leadership/testkit/faults';
import type { Redis } from 'ioredis';

/** The keys of a group: its rows, the numbers of their changes, and the rows that were removed. */
export function keysOf(group: string): readonly [rows: string, changed: string, removed: string] {
  const key = `leadership:{${group}}`;
  return [key, `${key}:changed`, `${key}:removed`];
}

/** Sets pairs of a name and a text if the row that the first two arguments describe is as they say. */
const swap = `if ARGV[1] ~= '' and redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
for i = 3, #ARGV, 2 do
  redis.call('ZREM', KEYS[2], ARGV[i])
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
return 1`;

/**
 * Returns the rows of a group, edited as the documentation asks of a person: members read the
 * rows again that have no number.
 */
export function editableRows(admin: Redis): EditableRows {
  return {
    read: async (group) => new Map(Object.entries(await admin.hgetall(keysOf(group)[0]))),
    async write(group, texts, [row, text] = ['', '']) {
      const [key, changed] = keysOf(group);
      const pairs = [...texts].flatMap(([name, next]) => (next === null ? [] : [name, next]));
      if ((await admin.eval(swap, 2, key, changed, row, text, ...pairs)) === 0) return false;
      for (const [name, next] of texts) if (next === null) await admin.hdel(key, name);
      return true;
    },
    restore: (group, during) => restoreKeys(admin, group, during),
  };
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

/** Lists all that the keys of the group hold. */
export async function contentsOf(admin: Redis, group: string): Promise<readonly string[]> {
  const [key, ...marks] = keysOf(group);
  const rows = Object.entries(await admin.hgetall(key));
  const numbers = await Promise.all(
    marks.map((mark) => admin.zrange(mark, '0', '-1', 'WITHSCORES')),
  );
  return [...rows, ...numbers.filter(({ length }) => length > 0)].map((row) => JSON.stringify(row));
}
