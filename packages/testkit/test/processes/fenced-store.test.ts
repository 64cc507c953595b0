import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type FencedStore, fileFencedStore } from '../../src/faults.ts';
import { fileUnfencedStore } from '../../src/processes/file-store.ts';
import { memoryFencedStore } from '../support/memory-fenced-store.ts';

const home = await mkdtemp(join(tmpdir(), 'leadership-store-'));
afterAll(() => rm(home, { recursive: true, force: true }));

let count = 0;
function freshDirectory(): string {
  count += 1;
  return join(home, String(count));
}

describe.each<readonly [string, () => FencedStore]>([
  ['in memory', memoryFencedStore],
  ['of files', () => fileFencedStore(freshDirectory())],
])('a fenced store %s', (_name, open) => {
  test('keeps the last value of each key', async () => {
    const store = open();
    expect(await store.read('a')).toBeUndefined();
    expect(await store.write('a', '1', 5n)).toBe('written');
    expect(await store.write('b', '2', 1n)).toBe('written');
    expect(await store.write('a', '3', 5n)).toBe('written');
    expect(await store.read('a')).toEqual({ value: '3', token: 5n });
    expect(await store.read('b')).toEqual({ value: '2', token: 1n });
  });

  test('refuses a token below the highest seen for that key, in any order of writes (T2)', async () => {
    const write = fc.record({
      key: fc.constantFrom('a', 'b/../c'),
      token: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 12 }), async (writes) => {
        const store = open();
        const highest = new Map<string, bigint>();
        for (const [index, { key, token }] of writes.entries()) {
          const isLow = token < (highest.get(key) ?? 0n);
          expect(await store.write(key, String(index), token)).toBe(isLow ? 'refused' : 'written');
          if (!isLow) highest.set(key, token);
          expect((await store.read(key))?.token).toBe(highest.get(key));
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('a store of files', () => {
  test('is one store for all processes that open the directory, also with concurrent writes', async () => {
    const directory = freshDirectory();
    const stores = [1, 2, 3].map(() => fileFencedStore(directory));
    const tokens = Array.from({ length: 60 }, (_, index) => BigInt(1 + ((index * 37) % 60)));
    const reported = await Promise.all(
      tokens.map(async (token, index) => ({
        token,
        reported: await stores[index % 3]?.write('key', String(token), token),
      })),
    );
    const written = reported
      .filter((one) => one.reported === 'written')
      .map(({ token }) => String(token));
    const values = await history(join(directory, 'key'));
    expect([...written].sort()).toEqual([...values].sort());
    expect(values).toEqual(values.toSorted((a, b) => Number(a) - Number(b)));
    expect(await fileFencedStore(directory).read('key')).toEqual({ value: '60', token: 60n });
  });

  test('leaves no partial files', async () => {
    const directory = freshDirectory();
    const store = fileFencedStore(directory);
    await Promise.all([1n, 2n, 3n].map((token) => store.write('key', 'value', token)));
    expect(
      (await readdir(join(directory, 'key'))).filter((name) => !/^\d+\.json$/.test(name)),
    ).toEqual([]);
  });

  test('keeps every key within its directory', async () => {
    const directory = freshDirectory();
    const store = fileFencedStore(join(directory, 'store'));
    for (const key of ['..', '.', '../out', '/', 'a.b']) await store.write(key, key, 1n);
    expect(await readdir(directory)).toEqual(['store']);
    expect((await readdir(join(directory, 'store'))).length).toBe(5);
    expect(await store.read('..')).toEqual({ value: '..', token: 1n });
  });

  test('rejects if it cannot write', async () => {
    await expect(fileFencedStore('/dev/null/nowhere').write('key', 'value', 1n)).rejects.toThrow(
      'ENOTDIR',
    );
  });

  test('without the fence loses the value of a higher token', async () => {
    const store = fileUnfencedStore(freshDirectory());
    await store.write('key', 'of the leader', 2n);
    expect(await store.write('key', 'of the zombie', 1n)).toBe('written');
    expect(await store.read('key')).toEqual({ value: 'of the zombie', token: 1n });
  });
});

/** The values of a key in the order in which they were written. */
async function history(directory: string): Promise<readonly string[]> {
  const values: string[] = [];
  for (let number = 1; number <= (await readdir(directory)).length; number += 1) {
    const stored = JSON.parse(await readFile(join(directory, `${number}.json`), 'utf8')) as {
      readonly value: string;
    };
    values.push(stored.value);
  }
  return values;
}
