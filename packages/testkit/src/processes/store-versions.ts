// The versions of a key in the stores of tests with processes: a chain of files 1, 2, 3 …, one per
// write, which are never removed. Linking a file fails if its number is taken, so each write is
// conditional on the previous one. A killed process leaves neither a lock nor a partial file.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredValue } from './fenced-store.ts';

/** A value of a key and its number in the chain. */
export interface Latest {
  readonly number: number;
  readonly stored: StoredValue | undefined;
}

/** Reads the chain from `known` to its end. */
export async function latestFrom(directory: string, known: Latest): Promise<Latest> {
  for (let latest = known; ; ) {
    const stored = await readVersion(directory, latest.number + 1);
    if (stored === undefined) return latest;
    latest = { number: latest.number + 1, stored };
  }
}

/** Returns all values of the chain in write order. */
export async function valuesIn(directory: string): Promise<readonly string[]> {
  const values: string[] = [];
  for (;;) {
    const stored = await readVersion(directory, values.length + 1);
    if (stored === undefined) return values;
    values.push(stored.value);
  }
}

/** Appends to the chain if `number` is still free. */
export async function append(
  directory: string,
  number: number,
  { value, token }: StoredValue,
): Promise<boolean> {
  await mkdir(directory, { recursive: true });
  const aside = join(directory, `.${randomUUID()}`);
  await writeFile(aside, JSON.stringify({ value, token: token.toString() }), { flag: 'wx' });
  try {
    await link(aside, join(directory, `${number}.json`));
    return true;
  } catch (error) {
    if (isCoded(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(aside);
  }
}

async function readVersion(directory: string, number: number): Promise<StoredValue | undefined> {
  try {
    const { value, token } = JSON.parse(
      await readFile(join(directory, `${number}.json`), 'utf8'),
    ) as { value: string; token: string };
    return { value, token: BigInt(token) };
  } catch (error) {
    if (isCoded(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isCoded(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
