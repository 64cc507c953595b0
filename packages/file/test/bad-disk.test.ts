import { appendFile, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { type Layout, layoutOf } from '../src/layout.ts';
import { freezable, freeze, mounted, remount } from './support/mounted.ts';
import { versionsIn } from './support/rows-store.ts';
import { soleLeader } from './support/sole-leader.ts';
import { tempDirectory } from './support/temp-directory.ts';

const unmountable = 'this machine does not permit mounts: full and read-only disks are not tested';
const thresholdMs = 300;
const open = (directory: string) =>
  fileLeadership({ directory, group: 'g', thresholdMs, partitions: 1 });
const says = (source: LeadershipSource, word: string) =>
  source.health().troubles.some(({ message }) => message.includes(word));

/**
 * Empties the versions of rows as a power loss may do with unsynced files: the names exist without
 * content.
 */
async function empty({ rows }: Layout, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const { file } of await versionsIn(rows, name)) await truncate(join(rows, file));
}

/**
 * Fills a disk, and keeps it full until it is emptied: a removed version of a row makes room for the
 * next one.
 */
async function filled(path: string): Promise<{ empty(): Promise<void> }> {
  const ballast = `${path}/ballast`;
  const fill = (): Promise<void> =>
    expect(appendFile(ballast, Buffer.alloc(1 << 20))).rejects.toMatchObject({ code: 'ENOSPC' });
  await fill();
  const over = new AbortController();
  const filling = (async () => {
    while (!over.signal.aborted) {
      await setTimeout(2);
      await fill();
    }
  })();
  return {
    async empty() {
      over.abort();
      await filling;
      await rm(ballast);
    },
  };
}

describe('a disk that rejects writes', () => {
  it.for(['full', 'read-only'])(
    'ends the term at its deadline, prevents other leaders, is reported, and recovers: %s',
    async (how, context) => {
      await using home = await tempDirectory();
      const path = `${home.path}/mount`;
      using disk = mounted(path, 'size=512k');
      if (disk === undefined) return context.skip(unmountable);
      await using one = open(path);
      await using two = open(path);
      using sole = soleLeader(one, two);
      await eventually('a member leads', sole.leader);
      const full = how === 'full' ? await filled(path) : undefined;
      if (full === undefined) await remount(path, 'ro');
      expect(sole.leader()?.role(0).remainingMs() ?? 0).toBeLessThanOrEqual(thresholdMs);
      await eventually('the term has ended', () => sole.leader() === undefined);
      // Read the token only now: before the disk rejects writes, a lease that lapses on a slow
      // machine is replaced by another.
      const { token } = sole;
      await eventually('both members report the reason', () =>
        [one, two].every((source) =>
          says(
            source,
            how === 'full' ? 'the disk is full: free some space' : 'is mounted read-only: use',
          ),
        ),
      );
      const since = performance.now();
      await eventually(
        'three times T have passed',
        () => performance.now() - since > 3 * thresholdMs,
      );
      expect(sole.token).toBe(token);
      await full?.empty();
      if (full === undefined) await remount(path, 'rw');
      await eventually('a member leads again', sole.leader);
      expect(sole.token).toBeGreaterThan(token);
      await eventually('both members are healthy again', () =>
        [one, two].every((source) => source.health().ok),
      );
      expect(sole.wrongs).toEqual([]);
    },
  );
});

describe('a disk that hangs', () => {
  it('ends the term at its deadline, is reported, and does not block close()', async (context) => {
    await using home = await tempDirectory();
    const path = `${home.path}/mount`;
    using disk = freezable(path);
    if (disk === undefined)
      return context.skip('this machine does not permit loop mounts: a hanging disk is not tested');
    const one = open(path);
    await eventually('the member leads', () => one.role(0).isLeading());
    {
      using _ = freeze(path);
      await eventually('the member has stopped leading', () => !one.role(0).isLeading());
      await eventually('the member reports the reason', () => says(one, 'no answer within'));
      await one.close();
    }
    await using two = open(path);
    await eventually('another member leads once the disk works again', () =>
      two.role(0).isLeading(),
    );
  });
});

describe('files emptied as after a power loss', () => {
  it('take effect no more: no member leads before the lease has lapsed, and tokens grow', async () => {
    await using home = await tempDirectory();
    await using one = open(home.path);
    await using two = open(home.path);
    using sole = soleLeader(one, two);
    await eventually('a member leads', sole.leader);
    const { token } = sole;
    await empty(layoutOf(home.path, 'g'), 'partition#0');
    await eventually('a member leads with a greater token', () => sole.token > token);
    expect(sole.wrongs).toEqual([]);
    expect(
      [one, two].some((source) => (source.health().ignored['unreadable-version'] ?? 0) > 0),
    ).toBe(true);
  });

  it('refuse a new member with a remedy if the pin is one of them', async () => {
    await using home = await tempDirectory();
    const layout = layoutOf(home.path, 'g');
    await using one = open(home.path);
    using sole = soleLeader(one);
    await eventually('the member leads', sole.leader);
    await one.close();
    await empty(layout, 'pin', 'partition#0');
    await using late = open(home.path);
    const advice = 'the pin of this group is unreadable: stop all members, remove the directory';
    await expect(late.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(`${join(layout.rows, 'pin.1')}: ${advice}`),
    });
    await rename(layout.group, `${home.path}/gone`);
    await using again = open(home.path);
    await eventually(
      'another member leads after the remedy',
      () => (again.role(0).term()?.token ?? 0n) > sole.token,
    );
    expect(late.held().size).toBe(0);
  });

  it('do not stop a member that has read the pin (R3)', async () => {
    await using home = await tempDirectory();
    await using one = open(home.path);
    using sole = soleLeader(one);
    await eventually('the member leads', sole.leader);
    const { token } = sole;
    await empty(layoutOf(home.path, 'g'), 'pin', 'partition#0');
    await eventually('the member leads with a greater token', () => sole.token > token);
    // It writes the pin again once it reads it, so a member that starts now may be ready.
    await using late = open(home.path);
    await late.ready().catch(() => undefined);
    await eventually('the member still leads', sole.leader);
    expect(sole.wrongs).toEqual([]);
  });
});
