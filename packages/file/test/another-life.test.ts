import { mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import type { WriteOutcome } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import type { Heard, Watch } from '../src/disk/watch.ts';
import { versionPath } from '../src/register/layout.ts';
import { prune } from '../src/register/prune.ts';
import { type Member, openMember, writeMany } from './support/member.ts';
import { removeAtOnce, tempDirectory } from './support/temp-directory.ts';
import { lifeIn, versionFile } from './support/versions.ts';

const deaf = () => ({ [Symbol.dispose]: () => undefined });
const restarts = (member: Member, partition: number) =>
  member.news.filter((item) => item.kind === 'restarted' && item.partition === partition).length;

/** Creates watches that only report what the test triggers with `ring`. */
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

/** Replaces a register by another one with this number of versions. */
async function replace(register: string, versions: number, spoil = async (_register: string) => undefined as unknown): Promise<void> {
  await using elsewhere = await tempDirectory();
  await using other = openMember(elsewhere.path);
  await other.opened();
  await writeMany(other, versions);
  await spoil(other.register);
  await rename(register, `${register}.gone`);
  await rename(other.register, register);
}

describe('a register that was deleted and recreated', () => {
  it('is not claimed after a wait for the old register, although both were empty (L5)', async () => {
    let most = 0;
    // If this process is delayed, the restart arrives before enough writes were tried. Such an
    // attempt proves nothing.
    for (let attempt = 0; attempt < 10 && most <= 2; attempt += 1) {
      const outcomes = await writesMeanwhile();
      expect(outcomes.filter((outcome) => outcome !== 'refused')).toEqual([]);
      most = Math.max(most, outcomes.length);
    }
    expect(most).toBeGreaterThan(2);
  });

  /** Writes to a recreated register until its restart is reported, and returns the outcomes. */
  async function writesMeanwhile(): Promise<readonly WriteOutcome[]> {
    await using home = await tempDirectory();
    const { watch, ring } = watchedByHand();
    await using one = openMember(home.path, { partitions: [0, 1], watch });
    await one.opened();
    const next = one.store.layout.register(1);
    // A large directory takes a while to read. Until then the restart of the first register is not
    // reported.
    const full = `${next}.full`;
    await mkdir(full);
    for (let count = 0; count < 10_000; count += 1) await writeFile(`${full}/${count}.txt`, '');
    await rename(next, `${next}.gone`);
    await rename(full, next);
    await removeAtOnce(one.register);
    ring(one.register, next);
    const outcomes: WriteOutcome[] = [];
    while (restarts(one, 0) === 0) {
      const outcome = await one.writeNext();
      if (restarts(one, 0) === 0) outcomes.push(outcome);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually('a write takes effect after the restart was reported', async () => (await one.writeNext()) === 'in-effect');
    return outcomes;
  }

  it('is distinguished from the old one by a member that replaces an unreadable version with the same text', async () => {
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

  it('loses no version to a member that was paused while it pruned the old one', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    const { mark } = await lifeIn(one.register);
    await replace(one.register, 9);
    const before = await readdir(one.register);
    await prune(one.register, { number: 16, mark });
    expect(await readdir(one.register)).toEqual(before);
  });

  it('makes the ledger check all other registers, including the pin (R3)', async () => {
    await using home = await tempDirectory();
    const { watch, ring } = watchedByHand();
    await using one = openMember(home.path, { partitions: [-1, 0, 1], watch });
    await one.opened();
    await removeAtOnce(one.store.layout.group);
    ring(one.register);
    await eventually('all registers restart', () => [-1, 0, 1].every((partition) => restarts(one, partition) === 1));
  });

  it('is watched again, even if the file system reused the inode of the old one', async (context) => {
    await using home = await tempDirectory();
    const { watch, ring, opened } = watchedByHand();
    await using one = openMember(home.path, { watch });
    await one.opened();
    const before = await stat(one.register);
    await rm(one.register, { recursive: true });
    const aside = `${one.register}.aside`;
    await mkdir(aside);
    if ((await stat(aside)).ino !== before.ino) return context.skip('this file system did not reuse the inode');
    await writeFile(versionPath(aside, { number: 0, mark: '0123456789ab' }), '{}');
    await rename(aside, one.register);
    opened.length = 0;
    ring(one.register);
    await eventually('the register restarts', () => restarts(one, 0) === 1);
    expect(opened).toEqual([one.register]);
  });
});
