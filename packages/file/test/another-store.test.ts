// The directory of the group is replaced: a link is switched, or a folder is moved away and
// recreated.
import { cp, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { openReader, type Reader, type ReaderOptions } from './support/reader.ts';
import { versionsIn } from './support/rows-store.ts';
import { soleLeader } from './support/sole-leader.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** Switches `link` to `target` atomically, as a deployment does. */
async function switchLink(link: string, target: string): Promise<void> {
  await symlink(target, `${link}.next`);
  await rename(`${link}.next`, link);
}

/**
 * Opens a member of `home/current`, a link to the store `home/one`. Then copies that to `home/two`.
 */
async function onCopies(home: string, options: ReaderOptions = {}): Promise<Reader> {
  await mkdir(`${home}/one`);
  await switchLink(`${home}/current`, `${home}/one`);
  await using first = await openReader(`${home}/current`);
  await first.exchange();
  await first.change('a', null, '1');
  await cp(`${home}/one`, `${home}/two`, { recursive: true });
  const member = await openReader(`${home}/current`, options);
  await member.exchange();
  return member;
}

describe('a store that was replaced by a copy with the same name', () => {
  it('is another history at the next reading, and refuses a change that was meant for the old store', async () => {
    await using home = await tempDirectory();
    await using member = await onCopies(home.path);
    await switchLink(`${home.path}/current`, `${home.path}/two`);
    const answer = await member.exchange({ name: 'a', expected: '1', text: '2' });
    expect(answer).toMatchObject({ isRestarted: true, outcomes: [false], rows: [['a', '1']] });
    expect(await member.change('a', '1', '3')).toBe(true);
    expect((await member.exchange()).rows).toEqual([['a', '3']]);
  });

  it('acknowledges no change if it is switched while a version is being put in place', async () => {
    await using home = await tempDirectory();
    const paused = (): Promise<void> => switchLink(`${home.path}/current`, `${home.path}/two`);
    await using member = await onCopies(home.path, { paused });
    await expect(member.change('a', '1', '2')).rejects.toMatchObject({ code: 'unreachable' });
    expect(await member.isRestarted()).toBe(true);
    // The old store is as it was.
    expect(await versionsIn(`${home.path}/one/g/rows`, 'a')).toHaveLength(1);
  });

  it('is doubted by a member that starts after another one has changed it', async () => {
    await using home = await tempDirectory();
    await using member = await onCopies(home.path);
    await switchLink(`${home.path}/current`, `${home.path}/two`);
    expect(await member.isRestarted()).toBe(true);
    await member.change('session#a', null, '1');
    await using late = await openReader(`${home.path}/current`);
    expect(await late.isRestarted()).toBe(true);
  });

  it('is another history if it was switched there and back between two readings by others', async () => {
    await using home = await tempDirectory();
    await using member = await onCopies(home.path);
    await switchLink(`${home.path}/current`, `${home.path}/two`);
    expect(await member.isRestarted()).toBe(true);
    await switchLink(`${home.path}/current`, `${home.path}/one`);
    expect(await member.isRestarted()).toBe(true);
    expect(await member.isRestarted()).toBe(false);
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
