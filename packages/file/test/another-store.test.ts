import { renameSync } from 'node:fs';
// The directory of the group is replaced: a link is switched, or a folder is moved away and
// recreated.
import { cp, mkdir, rename, rm, symlink, utimes } from 'node:fs/promises';
import type { WriteOutcome } from '@leadership/core/internal/lease';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import type { Watch } from '../src/disk/watch.ts';
import { fileLeadership } from '../src/index.ts';
import { type Member, type MemberOptions, openMember, writeMany } from './support/member.ts';
import { soleLeader } from './support/sole-leader.ts';
import { tempDirectory } from './support/temp-directory.ts';
import { lifeIn, versionFile } from './support/versions.ts';

const deaf = () => ({ [Symbol.dispose]: () => undefined });
const restarts = (member: Member) =>
  member.events.filter(({ kind }) => kind === 'restarted').length;

/** Switches `link` to `target` atomically, as a deployment does. */
async function switchLink(link: string, target: string): Promise<void> {
  await symlink(target, `${link}.next`);
  await rename(`${link}.next`, link);
}

/**
 * Opens a member of `home/current`, a link to the store `home/one`. Then copies that to `home/two`.
 */
async function onCopies(
  home: string,
  versions: number,
  options: MemberOptions = {},
): Promise<Member> {
  await mkdir(`${home}/one`);
  await switchLink(`${home}/current`, `${home}/one`);
  const member = openMember(`${home}/current`, { watch: deaf, ...options });
  await member.opened();
  await writeMany(member, versions);
  await cp(`${home}/one`, `${home}/two`, { recursive: true });
  return member;
}

describe('a store that was replaced by a copy with the same name', () => {
  it('restarts at the next poll', async () => {
    await using home = await tempDirectory();
    await using member = await onCopies(home.path, 3, { pollMs: 10 });
    await switchLink(`${home.path}/current`, `${home.path}/two`);
    await eventually('the register restarts', () => restarts(member) === 1);
    expect(member.current()?.height).toBe(2);
  });

  it('restarts at the next write, and refuses a record that was meant for the old store', async () => {
    await using home = await tempDirectory();
    await using member = await onCopies(home.path, 3);
    await switchLink(`${home.path}/current`, `${home.path}/two`);
    expect(await member.writeNext()).toBe('refused');
    await eventually('the register restarts', () => restarts(member) === 1);
    expect(member.current()?.height).toBe(2);
    expect(await member.writeNext()).toBe('in-effect');
  });

  it('restarts if it is switched while a record is being put in place', async () => {
    await using home = await tempDirectory();
    await using first = await onCopies(home.path, 3);
    const paused = (): Promise<void> => switchLink(`${home.path}/current`, `${home.path}/two`);
    await using member = openMember(`${home.path}/current`, { watch: deaf, paused });
    await member.opened();
    expect(await member.writeNext()).toBe('refused');
    await eventually('the register restarts', () => restarts(member) === 1);
    expect(restarts(first)).toBe(0);
  });

  it('refuses a record that was meant for the old store while the new one is being read', async () => {
    await using home = await tempDirectory();
    const outcomes: Promise<WriteOutcome>[] = [];
    let isSwitched = false;
    // The watch of the new directory starts before any file in it is read.
    const watch: Watch = (directory) => {
      if (isSwitched && directory === member.register) outcomes.push(member.writeNext());
      return { [Symbol.dispose]: () => undefined };
    };
    await using member = await onCopies(home.path, 3, { pollMs: 10, watch });
    isSwitched = true;
    await switchLink(`${home.path}/current`, `${home.path}/two`);
    await eventually('the register restarts', () => restarts(member) === 1);
    expect(await Promise.all(outcomes)).toEqual(['refused']);
    expect((await lifeIn(member.register)).numbers).toEqual([0, 1, 2, 3]);
    expect(await member.writeNext()).toBe('in-effect');
  });

  it('restarts when the reader continues', async () => {
    await using home = await tempDirectory();
    await using member = await onCopies(home.path, 3);
    await using other = openMember(`${home.path}/two`);
    await other.opened();
    await writeMany(other, 1);
    await switchLink(`${home.path}/current`, `${home.path}/two`);
    expect(await member.writeNext()).toBe('refused');
    await eventually('the member reads the current record', () => member.current()?.height === 3);
    expect(restarts(member)).toBe(1);
  });

  it('restarts if the folder was moved away and replaced by a copy', async () => {
    await using home = await tempDirectory();
    await using member = await onCopies(home.path, 3, { pollMs: 10 });
    await cp(`${home.path}/one`, `${home.path}/copy`, { recursive: true });
    // In between, the member would create the folder itself.
    renameSync(`${home.path}/one`, `${home.path}/gone`);
    renameSync(`${home.path}/copy`, `${home.path}/one`);
    await eventually('the register restarts', () => restarts(member) === 1);
  });
});

describe('a store without writes for longer than a member can believe that it leads', () => {
  const kinds = async (home: string, ageMs: number): Promise<readonly string[]> => {
    {
      await using writer = openMember(home);
      await writer.opened();
      await writeMany(writer, 2);
      const at = (Date.now() - ageMs) / 1000;
      await utimes(await versionFile(writer.register, 2), at, at);
    }
    await using newcomer = openMember(home);
    await eventually('the new member has read the record', () => newcomer.current()?.height === 1);
    await newcomer.opened();
    return newcomer.events.map(({ kind }) => kind);
  };

  it.each([
    ['restarts for a new member, because the store may have been restored', 60_000, true],
    ['restarts if its file time is in the future, because the clock was set back', -60_000, true],
    ['does not restart if it was written just now, so that a hand-over stays fast', 1000, false],
  ])('%s', async (_, ageMs, isMistrusted) => {
    await using home = await tempDirectory();
    expect((await kinds(home.path, ageMs)).includes('restarted')).toBe(isMistrusted);
  });
});

describe('a link that is switched back to an old store', () => {
  const thresholdMs = 1600;
  const open = (home: string, member: string) =>
    fileLeadership({
      directory: `${home}/current`,
      group: 'g',
      thresholdMs,
      partitions: 1,
      member,
    });

  it('does not elect a second leader beside the one of the new store, although the old store was released', async () => {
    await using home = await tempDirectory();
    for (const store of ['old', 'new']) await mkdir(`${home.path}/${store}`);
    await switchLink(`${home.path}/current`, `${home.path}/old`);
    {
      await using before = open(home.path, 'before');
      await eventually('the member leads in the old store', () => before.role(0).isLeading());
      await before.close();
    }
    await switchLink(`${home.path}/current`, `${home.path}/new`);
    await using one = open(home.path, 'one');
    await using two = open(home.path, 'two');
    using among = soleLeader(one, two);
    await eventually('a member leads in the new store', among.leader);
    const { token } = among;
    // By then no member of the old store can believe that it leads any longer.
    await new Promise((resolve) => setTimeout(resolve, 2 * thresholdMs));
    await switchLink(`${home.path}/current`, `${home.path}/old`);
    await using late = open(home.path, 'late');
    using sole = soleLeader(one, two, late);
    await eventually(
      'a member leads with a greater token',
      () => sole.leader() !== undefined && sole.token > token,
    );
    const until = performance.now() + thresholdMs;
    await eventually('T has passed', () => performance.now() > until);
    expect(sole.wrongs).toEqual([]);
  });

  it('does not elect a second leader when the folder is moved away and recreated', async () => {
    await using home = await tempDirectory();
    await using one = fileLeadership({
      directory: `${home.path}/store`,
      group: 'g',
      thresholdMs,
      partitions: 1,
    });
    using first = soleLeader(one);
    await eventually('the member leads', first.leader);
    const { token } = first;
    await rename(`${home.path}/store`, `${home.path}/gone`);
    // A member may have recreated it first.
    await mkdir(`${home.path}/store`, { recursive: true });
    await using late = fileLeadership({
      directory: `${home.path}/store`,
      group: 'g',
      thresholdMs,
      partitions: 1,
    });
    using sole = soleLeader(one, late);
    await eventually(
      'a member leads with a greater token',
      () => sole.leader() !== undefined && sole.token > token,
    );
    expect(sole.wrongs).toEqual([]);
    await rm(`${home.path}/gone`, { recursive: true });
  });
});
