import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicClock } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { scratchAt } from '../../src/disk/scratch.ts';
import type { Notified } from '../../src/disk/watch.ts';
import { makeRegister } from '../../src/register/genesis.ts';
import { put } from '../../src/register/put.ts';
import { Register } from '../../src/register/register.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { lifeIn } from '../support/versions.ts';

/**
 * Opens a register at its genesis, with functions that trigger its watch and count its
 * notifications.
 */
async function opened(home: string) {
  const directory = join(home, '0');
  const scratch = scratchAt(join(home, 'scratch'));
  const reported: Notified[] = [];
  const seen = { stirs: 0 };
  const register = new Register({ group: 'g', partition: 0, thresholdMsMax: 5000 }, directory, {
    clock: monotonicClock,
    make: (missing) => makeRegister(missing, scratch).then(() => true),
    watches: (_directory, received) => {
      reported.push(received);
      return {
        isOpen: () => true,
        retry: () => undefined,
        renew: () => undefined,
        [Symbol.dispose]: () => undefined,
      };
    },
    changed: () => {
      seen.stirs += 1;
    },
    recheck: () => undefined,
  });
  await register.open();
  const { mark } = await lifeIn(directory);
  seen.stirs = 0;
  const hear = (number: number): void =>
    reported.forEach((received) => received(`${number}.${mark}.json`, 'rename'));
  return { register, seen, hear, scratch };
}

const first = {
  group: 'g',
  partition: 0,
  id: 'a/1',
  after: null,
  height: 0,
  member: 'a',
  incarnation: 'a',
  kind: 'hold',
  token: 1n,
  thresholdMs: 1000,
} as const;

describe('a register', () => {
  it('refuses writes from when it was found to be replaced until its restart was delivered, although both are empty (L5)', async () => {
    await using home = await tempDirectory();
    const { register, scratch } = await opened(home.path);
    const write = () => put(register, first, scratch, () => false);
    await rm(register.directory, { recursive: true });
    register.doubt();
    expect((await register.look()).map(({ kind }) => kind)).toEqual(['restarted', 'end']);
    expect(await write()).toBe('refused');
    expect((await lifeIn(register.directory)).numbers).toEqual([0]);
    register.restarted();
    expect(await write()).toBe('in-effect');
  });

  it('reports a version of another member once', async () => {
    await using home = await tempDirectory();
    const { register, seen, hear } = await opened(home.path);
    hear(1);
    hear(1);
    expect([register.isChanging(), seen.stirs]).toEqual([true, 1]);
  });

  it('does not report the version that this member is writing, but the one after it', async () => {
    await using home = await tempDirectory();
    const { register, seen, hear } = await opened(home.path);
    void register.writing(1, new Promise(() => undefined));
    hear(1);
    expect([register.isChanging(), seen.stirs]).toEqual([false, 0]);
    hear(2);
    expect([register.isChanging(), seen.stirs]).toEqual([true, 1]);
  });

  it('reports a version that appeared during its own write after that write has failed', async () => {
    await using home = await tempDirectory();
    const { register, seen, hear } = await opened(home.path);
    const failing = new Promise<never>((_resolve, reject) =>
      setImmediate(reject, new Error('the disk fails')),
    );
    const writing = register.writing(1, failing);
    hear(1);
    await expect(writing).rejects.toThrow('the disk fails');
    expect([register.isChanging(), seen.stirs]).toEqual([true, 1]);
  });
});
