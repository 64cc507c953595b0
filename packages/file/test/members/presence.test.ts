import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { filePresence } from '../../src/members/presence.ts';
import { type StoreOptions, storeAt } from '../../src/store.ts';
import { mounted, remount } from '../support/mounted.ts';
import { removeAtOnce, tempDirectory } from '../support/temp-directory.ts';

function openPresence(
  directory: string,
  { thresholdMs = 600_000, ...options }: Partial<StoreOptions> = {},
) {
  const host = recordingHost('m');
  const store = storeAt({ directory, group: 'g', pollMs: 10, thresholdMs, ...options }, host);
  const presence = filePresence(store);
  const [standing, following] = [new AbortController(), new AbortController()];
  const seen: (readonly string[])[] = [];
  const follow = async (): Promise<void> => {
    for await (const now of presence.present(following.signal)) seen.push(now);
  };
  const followed = follow();
  let announced = Promise.resolve();
  return {
    store,
    seen,
    followed,
    incarnation: host.incarnation,
    announce: () => {
      announced = presence.announce(standing.signal);
    },
    leave: async () => {
      standing.abort();
      await announced;
    },
    async [Symbol.asyncDispose]() {
      standing.abort();
      following.abort();
      await Promise.all([announced, followed]);
    },
  };
}

/** A short T: twenty of them pass in two seconds. */
const thresholdMs = 100;
/** The number of attempts. An attempt in which the machine stalled for half of T proves nothing. */
const attemptsMax = 5;

/**
 * Returns whether another member misses a living one within 20 T, and the slowest read of the disk
 * meanwhile.
 */
async function watchLiving(): Promise<{ readonly isMissed: boolean; readonly slowestMs: number }> {
  await using home = await tempDirectory();
  await using one = openPresence(home.path, { thresholdMs });
  await using other = openPresence(home.path, { thresholdMs });
  one.announce();
  const isSeen = (now: readonly string[]): boolean => now.includes(one.incarnation);
  await eventually('the member is seen', () => other.seen.some(isSeen));
  let slowestMs = 0;
  const look = async (): Promise<number> => {
    const from = performance.now();
    await readdir(one.store.layout.presence);
    await new Promise((resolve) => setTimeout(resolve, 2));
    return performance.now() - from;
  };
  for (const until = performance.now() + 20 * thresholdMs; performance.now() < until; )
    slowestMs = Math.max(slowestMs, await look());
  return { isMissed: !other.seen.slice(other.seen.findIndex(isSeen)).every(isSeen), slowestMs };
}

describe('presence', () => {
  it('reports joining and leaving members by the watch', async () => {
    await using home = await tempDirectory();
    await using one = openPresence(home.path);
    await using other = openPresence(home.path);
    one.announce();
    await eventually('the first member is seen', () =>
      other.seen.at(-1)?.includes(one.incarnation),
    );
    other.announce();
    await eventually('both members see both', () =>
      [one, other].every(({ seen }) => seen.at(-1)?.length === 2),
    );
    await one.leave();
    await eventually('the first member is no longer seen', () => other.seen.at(-1)?.length === 1);
    expect(await readdir(one.store.layout.presence)).toHaveLength(1);
  });

  it('of a dead member ends by the reader’s own clock, and its file is removed later', async () => {
    await using home = await tempDirectory();
    await using one = openPresence(home.path, { thresholdMs: 50 });
    one.announce();
    await eventually('the member sees itself', () => one.seen.at(-1)?.length === 1);
    const path = `${one.store.layout.presence}/dead.json`;
    await writeFile(
      path,
      JSON.stringify({ incarnation: 'dead', member: 'd', beat: '000000000001' }),
    );
    await eventually('the dead member is seen', () => one.seen.at(-1)?.includes('dead'));
    await eventually(
      'the dead member is no longer seen',
      () => one.seen.at(-1)?.join() === one.incarnation,
    );
    await eventually(
      'its file is removed',
      async () => (await readdir(one.store.layout.presence)).length === 1,
    );
  });

  it('of a living member never ends', async () => {
    for (let attempt = 1; ; attempt += 1) {
      const { isMissed, slowestMs } = await watchLiving();
      // A reader that was delayed for longer than T takes the member for dead until it reads the
      // next beat.
      if (isMissed && slowestMs > thresholdMs / 2 && attempt < attemptsMax) continue;
      return expect(isMissed).toBe(false);
    }
  });

  it('works for an observer without permission to remove a dead member’s file, which it leaves to others', async (context) => {
    await using home = await tempDirectory();
    const path = `${home.path}/mount`;
    using disk = mounted(path, 'size=1m');
    if (disk === undefined)
      return context.skip('this machine does not permit mounts: a read-only disk is not tested');
    const thresholdMs = 50;
    {
      await using one = openPresence(path, { thresholdMs });
      await eventually('the directory is created', () => existsSync(one.store.layout.presence));
      await writeFile(
        `${one.store.layout.presence}/dead.json`,
        JSON.stringify({ incarnation: 'dead', member: 'd', beat: '000000000001' }),
      );
    }
    await remount(path, 'ro');
    await using observer = openPresence(path, { thresholdMs });
    await eventually('the dead member is seen', () => observer.seen.at(-1)?.includes('dead'));
    await eventually('the dead member is no longer seen', () => observer.seen.at(-1)?.length === 0);
    const since = performance.now();
    await eventually(
      'the time of a removal has passed',
      () => performance.now() - since > 12 * thresholdMs,
    );
    expect(await Promise.race([observer.followed, 'running'])).toBe('running');
  });

  it('recovers after the directory was deleted, and ignores garbage', async () => {
    await using home = await tempDirectory();
    await using one = openPresence(home.path, { thresholdMs: 50 });
    one.announce();
    await eventually('the member sees itself', () => one.seen.at(-1)?.length === 1);
    await removeAtOnce(one.store.layout.group);
    await eventually(
      'the file is written again',
      async () => (await readdir(one.store.layout.presence).catch(() => [])).length === 1,
    );
    await writeFile(`${one.store.layout.presence}/garbage`, '{');
    await using late = openPresence(home.path);
    await eventually(
      'the late member sees the first one',
      () => late.seen.at(-1)?.join() === one.incarnation,
    );
  });
});
