// Records every disk call of the state store; the power may fail after each of them.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrashDisk, type DoneCall, losses } from '@leadership/testkit/faults';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stateStoreIn } from '../../src/source/state-store.ts';
import type { StoredState } from '../../src/source/stored-state.ts';
import { epochOf } from '../support/test-members.ts';

type FileSystem = typeof import('node:fs/promises');

const done: DoneCall[] = vi.hoisted(() => []);

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<FileSystem>();
  const open = async (path: string, flags: string) => {
    const file = await real.open(path, flags);
    if (flags === 'wx') done.push({ name: 'write', args: [path, '', { durable: false }] });
    return {
      async writeFile(text: string) {
        await file.writeFile(text);
        done.push({ name: 'write', args: [path, text, { durable: false }] });
      },
      async sync() {
        await file.sync();
        done.push({ name: 'sync', args: [path] });
      },
      close: () => file.close(),
    };
  };
  return {
    ...real,
    open,
    async mkdir(path: string, options: { readonly recursive: boolean }) {
      const made = await real.mkdir(path, options);
      const parts = made === undefined ? [] : path.slice(made.length).split('/').slice(1);
      if (made !== undefined) done.push({ name: 'mkdir', args: [made] });
      parts.forEach((_, index) =>
        done.push({ name: 'mkdir', args: [[made, ...parts.slice(0, index + 1)].join('/')] }),
      );
      return made;
    },
    async rename(from: string, to: string) {
      await real.rename(from, to);
      done.push({ name: 'rename', args: [from, to] });
    },
    async rm(path: string, options: { readonly force: boolean }) {
      await real.rm(path, options);
      done.push({ name: 'rm', args: [path] });
    },
  };
});

/**
 * A rename over another file is atomic: the name refers to one or the other, so it is never lost
 * with the file that replaced it.
 */
const possible = losses.filter((loss) => loss !== 'added-names');

const imageOf = (life: number): StoredState => ({
  format: 1,
  group: 'g',
  member: 'a',
  life,
  hardState: { epoch: { ...epochOf(['a', 'b']), tokens: [BigInt(life)] }, wedge: undefined },
});

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  done.length = 0;
});
afterEach(() => rm(home, { recursive: true, force: true }));

interface Acknowledged {
  readonly calls: number;
  readonly life: number;
}

/**
 * Writes these incarnations, each by a store of its own. Returns the number of calls before each
 * acknowledgement.
 */
async function write(
  directory: string,
  lives: readonly number[],
): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (const life of lives) {
    const store = stateStoreIn(directory, 'g', 'a');
    await store.read();
    for (let times = 0; times < 2; times += 1) {
      await store.write(imageOf(life + times));
      acknowledged.push({ calls: done.length, life: life + times });
    }
  }
  return acknowledged;
}

/**
 * The results of all power losses, by call and kind of loss, after which a member reads an earlier
 * incarnation than the acknowledged one.
 */
async function forgotten(
  calls: readonly DoneCall[],
  acknowledged: readonly Acknowledged[],
  directory: string,
): Promise<readonly string[]> {
  const disk = new CrashDisk(home);
  const found: string[] = [];
  for (const [index, call] of calls.entries()) {
    disk.apply(call);
    const known = acknowledged.filter((one) => one.calls <= index + 1).at(-1)?.life ?? 0;
    for (const loss of possible) {
      const left = await mkdtemp(join(tmpdir(), 'leadership-nerio-left-'));
      disk.leave(loss, left);
      const life = await stateStoreIn(join(left, directory.slice(home.length + 1)), 'g', 'a')
        .read()
        .then(
          (image) => image?.life ?? 0,
          (error: unknown) => `${error}`,
        );
      await rm(left, { recursive: true, force: true });
      if (typeof life === 'string' || life < known)
        found.push(`call ${index}, ${call.name}, ${loss} lost: ${life} after ${known}`);
    }
  }
  return found;
}

test('after a power loss at any moment no acknowledged state is lost or torn', async () => {
  const directory = join(home, 'made', 'below');
  const acknowledged = await write(directory, [1, 5, 9]);
  expect(await forgotten([...done], acknowledged, directory)).toEqual([]);
  expect(acknowledged.length).toBe(6);
});

test('a directory that an earlier incarnation created without making it durable is durable once a write is acknowledged', async () => {
  const directory = join(home, 'made');
  await mkdir(directory, { recursive: true });
  const acknowledged = await write(directory, [1, 5]);
  expect(await forgotten([...done], acknowledged, directory)).toEqual([]);
});
