import { mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import type { LedgerRecord, WriteOutcome } from '@leadership/core/internal/lease';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import type { Notified, Watch } from '../src/disk/watch.ts';
import { fileLedger } from '../src/ledger.ts';
import { versionPath } from '../src/register/layout.ts';
import { prune } from '../src/register/prune.ts';
import { storeAt } from '../src/store.ts';
import { type Member, openMember, writeMany } from './support/member.ts';
import { removeAtOnce, tempDirectory } from './support/temp-directory.ts';
import { lifeIn, versionFile } from './support/versions.ts';

const deaf = () => ({ [Symbol.dispose]: () => undefined });
const restarts = (member: Member, partition: number) =>
  member.events.filter((item) => item.kind === 'restarted' && item.partition === partition).length;

/** Creates watches that only report what the test triggers with `ring`. */
function watchedByHand() {
  const reported = new Map<string, Notified>();
  const opened: string[] = [];
  const watch: Watch = (directory, received) => {
    opened.push(directory);
    reported.set(directory, received);
    return { [Symbol.dispose]: () => undefined };
  };
  const ring = (...directories: readonly string[]): void => {
    for (const directory of directories) reported.get(directory)?.(null, 'rename');
  };
  return { watch, ring, opened };
}

/** Replaces a register by another one with this number of versions. */
async function replace(
  register: string,
  versions: number,
  spoil = async (_register: string) => undefined as unknown,
): Promise<void> {
  await using elsewhere = await tempDirectory();
  await using other = openMember(elsewhere.path);
  await other.opened();
  await writeMany(other, versions);
  await spoil(other.register);
  await rename(register, `${register}.gone`);
  await rename(other.register, register);
}

/** A claim of an empty register. */
function firstRecord(partition: number): LedgerRecord {
  const names = { group: 'g', id: `m/${partition}`, member: 'm', incarnation: 'm', kind: 'hold' };
  return { ...names, partition, after: null, height: 0, token: 1n, thresholdMs: 1000 };
}

describe('a register that was deleted and recreated', () => {
  it('is not claimed before its restart was delivered, although both were empty (L5)', async () => {
    await using home = await tempDirectory();
    const { watch, ring } = watchedByHand();
    const host = recordingHost('m');
    const store = storeAt(
      { directory: home.path, group: 'g', pollMs: 600_000, thresholdMs: 1000, watch },
      host,
    );
    const ledger = fileLedger(store, { group: 'g', thresholdMsMax: 5000 });
    const over = new AbortController();
    const events = ledger.events([0, 1], over.signal)[Symbol.asyncIterator]();
    const claim = (partition: number): Promise<WriteOutcome> =>
      ledger.write(firstRecord(partition), over.signal);
    expect((await events.next()).value).toEqual({ kind: 'end', partitions: [0, 1] });
    const waiting = events.next();
    const directories = [0, 1].map((partition) => store.layout.register(partition));
    await Promise.all(directories.map(removeAtOnce));
    ring(...directories);
    // Both registers were read again, and their restarts are delivered one after the other.
    expect((await waiting).value).toEqual({ kind: 'restarted', partition: 0 });
    expect([await claim(0), await claim(1)]).toEqual(['refused', 'refused']);
    const delivered = [await events.next(), await events.next(), await events.next()].map(
      ({ value }) => value,
    );
    expect(delivered).toEqual([
      { kind: 'end', partitions: [0] },
      { kind: 'restarted', partition: 1 },
      { kind: 'end', partitions: [1] },
    ]);
    expect([await claim(0), await claim(1)]).toEqual(['in-effect', 'in-effect']);
    over.abort();
    await ledger.close();
    await events.return?.(undefined);
  });

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
    await eventually('all registers restart', () =>
      [-1, 0, 1].every((partition) => restarts(one, partition) === 1),
    );
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
    if ((await stat(aside)).ino !== before.ino)
      return context.skip('this file system did not reuse the inode');
    await writeFile(versionPath(aside, { number: 0, mark: '0123456789ab' }), '{}');
    await rename(aside, one.register);
    opened.length = 0;
    ring(one.register);
    await eventually('the register restarts', () => restarts(one, 0) === 1);
    expect(opened).toEqual([one.register]);
  });
});
