import { mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import type { Written } from '@leadership/core/ledger';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { versionPath } from '../src/layout.ts';
import { prune } from '../src/prune.ts';
import type { Heard, Watch } from '../src/watch.ts';
import { type Member, openMember, writeMany } from './support/member.ts';
import { removeAtOnce, tempDirectory } from './support/temp-directory.ts';
import { lifeIn, versionFile } from './support/versions.ts';

const deaf = () => ({ [Symbol.dispose]: () => undefined });
const restarts = (member: Member, partition: number) =>
  member.news.filter((item) => item.kind === 'restarted' && item.partition === partition).length;

/** Watches that tell what `ring` says, and nothing else. */
function watchedByHand() {
  const told = new Map<string, Heard>();
  const opened: string[] = [];
  const watch: Watch = (directory, heard) => {
    opened.push(directory);
    told.set(directory, heard);
    return { [Symbol.dispose]: () => undefined };
  };
  const ring = (...directories: readonly string[]): void => {
    for (const directory of directories) told.get(directory)?.(null, 'rename');
  };
  return { watch, ring, opened };
}

/** Another register of as many versions, in the place of one that is no more. */
async function replace(register: string, versions: number, spoil = async (_register: string) => undefined as unknown): Promise<void> {
  await using elsewhere = await tempDirectory();
  await using other = openMember(elsewhere.path);
  await other.opened();
  await writeMany(other, versions);
  await spoil(other.register);
  await rename(register, `${register}.gone`);
  await rename(other.register, register);
}

describe('a register that was deleted and made anew', () => {
  it('is not claimed on the strength of the wait for the one before, which had nothing in effect either (L5)', async () => {
    let most = 0;
    // Where this process is kept waiting, and not who reads for it, it is told too soon to be tried: that says nothing.
    for (let attempt = 0; attempt < 10 && most <= 2; attempt += 1) {
      const outcomes = await writesMeanwhile();
      expect(outcomes.filter((outcome) => outcome !== 'refused')).toEqual([]);
      most = Math.max(most, outcomes.length);
    }
    expect(most).toBeGreaterThan(2);
  });

  /** What becomes of writes in a register that was made anew until that is told. */
  async function writesMeanwhile(): Promise<readonly Written[]> {
    await using home = await tempDirectory();
    const { watch, ring } = watchedByHand();
    await using one = openMember(home.path, { partitions: [0, 1], watch });
    await one.opened();
    const next = one.store.layout.register(1);
    // So much that reading it takes a while: until then nobody is told what became of the first.
    const full = `${next}.full`;
    await mkdir(full);
    for (let count = 0; count < 10_000; count += 1) await writeFile(`${full}/${count}.txt`, '');
    await rename(next, `${next}.gone`);
    await rename(full, next);
    await removeAtOnce(one.register);
    ring(one.register, next);
    const outcomes: Written[] = [];
    while (restarts(one, 0) === 0) {
      const outcome = await one.writeNext();
      if (restarts(one, 0) === 0) outcomes.push(outcome);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually('once that was told, the next wait is over some time', async () => (await one.writeNext()) === 'in-effect');
    return outcomes;
  }

  it('is another to who replaces a version that nobody can read, though it reads the same', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 4);
    await truncate(await versionFile(one.register, 4));
    await using behind = openMember(home.path, { watch: deaf });
    await behind.opened();
    expect(behind.current()).toMatchObject({ member: 'unreadable', height: 3 });
    await replace(one.register, 4, async (register) => truncate(await versionFile(register, 4)));
    expect(await behind.writeNext()).toBe('refused');
    expect((await lifeIn(one.register)).numbers).toEqual([0, 1, 2, 3, 4]);
  });

  it('loses nothing to a member that was paused while it pruned the one before', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    const { mark } = await lifeIn(one.register);
    await replace(one.register, 9);
    const before = await readdir(one.register);
    await prune(one.register, { number: 16, mark });
    expect(await readdir(one.register)).toEqual(before);
  });

  it('has every other register asked where it stands, the pin too (R3)', async () => {
    await using home = await tempDirectory();
    const { watch, ring } = watchedByHand();
    await using one = openMember(home.path, { partitions: [-1, 0, 1], watch });
    await one.opened();
    await removeAtOnce(one.store.layout.group);
    ring(one.register);
    await eventually('all restart', () => [-1, 0, 1].every((partition) => restarts(one, partition) === 1));
  });

  it('is watched anew, also where the file system gave it the inode of the one before', async (context) => {
    await using home = await tempDirectory();
    const { watch, ring, opened } = watchedByHand();
    await using one = openMember(home.path, { watch });
    await one.opened();
    const before = await stat(one.register);
    await rm(one.register, { recursive: true });
    const aside = `${one.register}.aside`;
    await mkdir(aside);
    if ((await stat(aside)).ino !== before.ino) return context.skip('this file system gives no inode out again: nothing to mistake here');
    await writeFile(versionPath(aside, { number: 0, mark: '0123456789ab' }), '{}');
    await rename(aside, one.register);
    opened.length = 0;
    ring(one.register);
    await eventually('it restarts', () => restarts(one, 0) === 1);
    expect(opened).toEqual([one.register]);
  });
});
