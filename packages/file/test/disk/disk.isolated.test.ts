// Data that is reported as durable must have been synced. A test cannot cause a power loss, so it
// records the calls to Node.
import { readFile } from 'node:fs/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { disk, holdDisk } from '../../src/disk/disk.ts';
import { diskCalls } from '../../src/disk/disk-calls.ts';
import { tempDirectory } from '../support/temp-directory.ts';

/** The synced contents at the time of each sync: the text of a file, or a mark for a directory. */
const synced: string[] = vi.hoisted(() => []);

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs')>();
  const paths = new Map<number, string>();
  const noted = (file: number): void => {
    const isDirectory = real.fstatSync(file).isDirectory();
    synced.push(isDirectory ? 'directory' : real.readFileSync(paths.get(file) ?? '', 'utf8'));
  };
  return {
    ...real,
    openSync(path: string, flags: string) {
      const file = real.openSync(path, flags);
      paths.set(file, path);
      return file;
    },
    fsyncSync(file: number) {
      real.fsyncSync(file);
      noted(file);
    },
    fdatasyncSync(file: number) {
      real.fdatasyncSync(file);
      noted(file);
    },
  };
});

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  return {
    ...real,
    async open(path: string, flags: string) {
      const file = await real.open(path, flags);
      const noted = async (): Promise<void> => {
        synced.push(
          (await file.stat()).isDirectory() ? 'directory' : await real.readFile(path, 'utf8'),
        );
      };
      return {
        sync: () => file.sync().then(noted),
        datasync: () => file.datasync().then(noted),
        close: () => file.close(),
      };
    },
  };
});

beforeEach(() => {
  synced.length = 0;
});

const immediate = { write: diskCalls.write, sync: diskCalls.sync };

it.each([
  ['the disk', disk],
  ['a process that can start no thread', immediate],
] as const)(
  'a durable write is synced with all of its text before it is answered, and so are the names in a directory: %s',
  async (_, calls) => {
    await using home = await tempDirectory();
    using _held = holdDisk(() => undefined);
    const path = `${home.path}/term`;
    await calls.write(path, 'token 7', { flag: 'wx', durable: true });
    expect(synced).toEqual(['token 7']);
    await calls.write(`${home.path}/renewal`, 'token 7', { flag: 'wx', durable: false });
    expect(synced).toEqual(['token 7']);
    await calls.sync(`${home.path}/renewal`);
    await calls.sync(home.path);
    expect(synced).toEqual(['token 7', 'token 7', 'directory']);
    expect(await readFile(path, 'utf8')).toBe('token 7');
  },
);
