import { HealthReporter } from '@leadership/core/internal/engine';
import { recordingHost } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import type { MountFacts } from '../../src/disk/disk-calls.ts';
import { type MountGuard, mountGuard } from '../../src/mount/mount-guard.ts';

const before: MountFacts = { mount: '63 /data 1/2', root: '/srv/store' };
const after: MountFacts = { ...before, root: '/srv/old' };

/**
 * Creates a guard that finds these mounts, one per check; an error fails the check. Counts checks
 * and restarts.
 */
function guarded(looks: readonly (MountFacts | Error | undefined)[]) {
  const host = recordingHost('m');
  const counts = { looks: 0, moved: 0 };
  const mountOf = async (): Promise<MountFacts | undefined> => {
    const found = looks[counts.looks];
    counts.looks += 1;
    if (found instanceof Error) throw found;
    return found;
  };
  const moved = (): void => {
    counts.moved += 1;
  };
  return {
    guard: mountGuard({ health: new HealthReporter(host), directory: '/data/g', moved, mountOf }),
    host,
    counts,
  };
}

/** Checks several times in a row: `ok`, or the code of the error. */
async function outcomes(guard: MountGuard, count: number): Promise<readonly string[]> {
  const all: string[] = [];
  for (let look = 0; look < count; look += 1) {
    all.push(
      await guard.check().then(
        () => 'ok',
        ({ code }) => code,
      ),
    );
  }
  return all;
}

it('refuses writes while the source is renamed, and one more after it was renamed back', async () => {
  const { guard, host, counts } = guarded([before, before, after, after, before, before]);
  expect(await outcomes(guard, 6)).toEqual([
    'ok',
    'ok',
    'unreachable',
    'unreachable',
    'unreachable',
    'ok',
  ]);
  expect(counts.moved).toBe(2);
  expect(host.calls.join('\n')).toContain(
    '"/srv/store" on its file system when this member started, and is "/srv/old" now',
  );
});

it('continues when a check fails, and still refuses while the source is renamed', async () => {
  const failed = new Error('EMFILE');
  const { guard } = guarded([failed, before, failed, undefined, after, failed, undefined]);
  expect(await outcomes(guard, 7)).toEqual([
    'ok',
    'ok',
    'ok',
    'ok',
    'unreachable',
    'unreachable',
    'unreachable',
  ]);
});

it('ignores another mount in its place, because the inode of the directory shows that', async () => {
  const other: MountFacts = { mount: '64 /data 1/3', root: '/srv/store.2' };
  const { guard, counts } = guarded([before, other, other, { ...other, root: '/srv/old' }]);
  expect(await outcomes(guard, 4)).toEqual(['ok', 'ok', 'ok', 'unreachable']);
  expect(counts.moved).toBe(1);
});

it('checks once for the writes of one turn, and does not share a check that has begun', async () => {
  const { guard, counts } = guarded([before, before, before]);
  await Promise.all([guard.check(), guard.check(), guard.check()]);
  expect(counts.looks).toBe(1);
  const first = guard.check();
  await Promise.resolve();
  await Promise.all([first, guard.check()]);
  expect(counts.looks).toBe(3);
});
