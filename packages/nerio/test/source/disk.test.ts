// A disk that completes no write, under a member that stores its grants: a leader must neither
// continue without limit nor wait for the disk.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { expect, test } from 'vitest';
import { type NerioSource, nerioLeadership } from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

/** The only member of its group, and its disk. Disposing closes the member. */
async function onDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const stateDirectory = join(folder, 'state');
  const source: NerioSource = nerioLeadership({
    group: 'g',
    member: 'a',
    members: ['a'],
    thresholdMs: 300,
    partitions: 2,
    stateDirectory,
    restart: 'state',
    transport: memoryNetwork().open,
  });
  await eventually('it leads', () => source.held().size === 2);
  const reasons: string[] = [];
  source
    .role(0)
    .leadership$.subscribe(
      (leadership) => leadership.state === 'fenced' && reasons.push(leadership.reason),
    );
  const isTroubled = (): boolean => source.health().troubles.length > 0;
  return {
    source,
    reasons,
    /** Makes every write fail from now on, and waits until the member has noticed. */
    async breaks(): Promise<void> {
      // A write of the member may create the folder again in between.
      for (let isFile = false; !isFile; ) {
        await rm(stateDirectory, { recursive: true, force: true, maxRetries: 5 });
        isFile = await writeFile(stateDirectory, 'no directory').then(
          () => true,
          () => false,
        );
      }
      await eventually('it notices', isTroubled);
    },
    async mends(): Promise<void> {
      await rm(stateDirectory);
      await mkdir(stateDirectory, { recursive: true });
      await eventually('it has noticed', () => !isTroubled());
    },
    async [Symbol.asyncDispose]() {
      await source.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the promise settles; fails after the deadline. */
async function ends(what: string, promise: Promise<unknown>): Promise<void> {
  let isOver = false;
  void promise.then(() => {
    isOver = true;
  });
  await eventually(what, () => isOver);
}

test('a member that is closed while its disk fails stops leading, and closes (H4)', async () => {
  await using member = await onDisk();
  const { source } = member;
  await member.breaks();
  const term = source.role(0).term();
  await ends('it is closed', source.close());
  expect(source.role(0).isLeading()).toBe(false);
  expect(term?.fenced.aborted ?? true).toBe(true);
});

test('a partition resigned while the disk fails has no leader, even after the disk has recovered, until the abstention ends (H4)', async () => {
  await using member = await onDisk();
  const { source } = member;
  await member.breaks();
  const before = source.role(0).term()?.token;
  // Before the resignation: from then on the member abstains for two T.
  const askedAt = performance.now();
  await ends('it has resigned', source.role(0).resign());
  expect(source.role(0).isLeading()).toBe(false);
  await member.mends();
  await eventually('it leads the other again', () => source.role(1).isLeading());
  await eventually('it leads again', () => source.role(0).isLeading());
  expect(performance.now() - askedAt).toBeGreaterThan(600);
  expect(source.role(0).term()?.token).not.toBe(before);
});

test('a member that cannot start because of its disk answers queries within T without a result, and closes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const stateDirectory = join(folder, 'loop');
  await symlink(stateDirectory, stateDirectory);
  const { open: transport } = memoryNetwork();
  const source = nerioLeadership({
    group: 'g',
    member: 'a',
    members: ['a', 'b'],
    thresholdMs: 300,
    partitions: 1,
    stateDirectory,
    transport,
  });
  await eventually('it says why', () =>
    source.health().troubles.some(({ message }) => message.includes('ELOOP')),
  );
  let found: unknown = 'nothing yet';
  void source.find(0).then((leader) => {
    found = leader;
  });
  await eventually('it has found nobody', () => found === undefined);
  let why: unknown;
  source.verify('b', 0).catch((error: unknown) => {
    why = error;
  });
  await eventually('it says that it does not know', () => why !== undefined);
  expect(why).toMatchObject({
    code: 'unreachable',
    message: '"b" did not answer within 300 ms whether it leads',
  });
  const change = source.reconfigure(['a']);
  const closed = expect(change).rejects.toMatchObject({ code: 'closed' });
  await ends('it is closed', source.close());
  await closed;
  await rm(folder, { recursive: true, force: true });
});
