import { createHook } from 'node:async_hooks';
import { readdir, rename } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** The watches that are open: they keep no process alive, so the platform's own list leaves them out. */
function countWatches(): Disposable & { readonly open: ReadonlySet<number> } {
  const open = new Set<number>();
  const init = (id: number, type: string): void => void (type === 'FSEVENTWRAP' && open.add(id));
  const hook = createHook({ init, destroy: (id) => void open.delete(id) }).enable();
  return { open, [Symbol.dispose]: () => void hook.disable() };
}

/** Resolves once nothing is left: no timer, no watch, no file, nothing under way. */
async function nothingLeft(watches: { readonly open: ReadonlySet<number> }): Promise<void> {
  let left: readonly string[] = [];
  const isNone = async (): Promise<boolean> => {
    await new Promise((resolve) => setImmediate(resolve));
    const alive = process.getActiveResourcesInfo().filter((name) => /^(Timeout|FS|FileHandle)/.test(name));
    left = [...alive, ...Array.from(watches.open, (id) => `watch ${id}`)];
    return left.length === 0;
  };
  await eventually('nothing is left', isNone).catch(() => expect(left).toEqual([]));
}

/** Closing waits for the disk no longer than T; what was under way then is still cleared away. */
async function emptied(directory: string): Promise<void> {
  let names: readonly string[] = [];
  const isEmpty = async (): Promise<boolean> => {
    names = await readdir(directory).catch(() => []);
    return names.length === 0;
  };
  await eventually('nothing is left', isEmpty).catch(() => expect(names, directory).toEqual([]));
}

describe('close', () => {
  it('leaves no timer, watch, file or temporary name', async () => {
    await using home = await tempDirectory();
    using watches = countWatches();
    const one = fileLeadership({ directory: home.path, group: 'g', thresholdMs: 200, partitions: 2 });
    await one.ready();
    await eventually('it leads', () => one.held().size === 2);
    expect(watches.open.size).toBe(5);
    await one.close();
    await nothingLeft(watches);
    const group = `${home.path}/g`;
    for (const directory of ['scratch', 'wants', 'presence']) await emptied(`${group}/${directory}`);
  });

  it('ends what has only just started', async () => {
    await using home = await tempDirectory();
    using watches = countWatches();
    for (let start = 0; start < 20; start += 1) {
      const one = fileLeadership({ directory: home.path, group: `g${start}`, thresholdMs: 200 });
      for (let turns = 0; turns < start; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      await one.close();
      await nothingLeft(watches);
      await emptied(`${home.path}/g${start}/scratch`);
    }
  });

  it('ends where the directory has gone', async () => {
    await using home = await tempDirectory();
    using watches = countWatches();
    const one = fileLeadership({ directory: `${home.path}/store`, group: 'g', thresholdMs: 200, partitions: 2 });
    await one.ready();
    await eventually('it leads', () => one.held().size === 2);
    await rename(`${home.path}/store`, `${home.path}/gone`);
    await one.close();
    await nothingLeft(watches);
  });
});
