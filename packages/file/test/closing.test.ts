import { createHook } from 'node:async_hooks';
import { readdir, rename } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

/**
 * Counts the open watches. They do not keep the process alive, so Node's list of active resources
 * omits them.
 */
function countWatches(): Disposable & { readonly open: ReadonlySet<number> } {
  const open = new Set<number>();
  const init = (id: number, type: string): void => void (type === 'FSEVENTWRAP' && open.add(id));
  const hook = createHook({ init, destroy: (id) => void open.delete(id) }).enable();
  return { open, [Symbol.dispose]: () => void hook.disable() };
}

/** Resolves once no timer, watch, file or request is left. */
async function nothingLeft(watches: { readonly open: ReadonlySet<number> }): Promise<void> {
  let left: readonly string[] = [];
  const isNone = async (): Promise<boolean> => {
    await new Promise((resolve) => setImmediate(resolve));
    const alive = process
      .getActiveResourcesInfo()
      .filter((name) => /^(Timeout|FS|FileHandle)/.test(name));
    left = [...alive, ...Array.from(watches.open, (id) => `watch ${id}`)];
    return left.length === 0;
  };
  await eventually('no resource is left', isNone).catch(() => expect(left).toEqual([]));
}

/**
 * Resolves once the directory is empty. close() waits at most T for the disk, and removes later
 * what was pending then.
 */
async function emptied(directory: string): Promise<void> {
  let names: readonly string[] = [];
  const isEmpty = async (): Promise<boolean> => {
    names = await readdir(directory).catch(() => []);
    return names.length === 0;
  };
  await eventually('the directory is empty', isEmpty).catch(() =>
    expect(names, directory).toEqual([]),
  );
}

describe('close', () => {
  it('leaves no timer, watch, file or temporary name', async () => {
    await using home = await tempDirectory();
    using watches = countWatches();
    const one = fileLeadership({
      directory: home.path,
      group: 'g',
      thresholdMs: 200,
      partitions: 2,
    });
    await one.ready();
    await eventually('the member leads', () => one.held().size === 2);
    expect(watches.open.size).toBe(1);
    await one.close();
    await nothingLeft(watches);
    await emptied(`${home.path}/g/scratch`);
  });

  it('ends a source that has only just started', async () => {
    await using home = await tempDirectory();
    using watches = countWatches();
    for (let start = 0; start < 20; start += 1) {
      const one = fileLeadership({ directory: home.path, group: `g${start}`, thresholdMs: 200 });
      for (let turns = 0; turns < start; turns += 1)
        await new Promise((resolve) => setImmediate(resolve));
      await one.close();
      await nothingLeft(watches);
      await emptied(`${home.path}/g${start}/scratch`);
    }
  });

  it('ends after the directory was moved away', async () => {
    await using home = await tempDirectory();
    using watches = countWatches();
    const one = fileLeadership({
      directory: `${home.path}/store`,
      group: 'g',
      thresholdMs: 200,
      partitions: 2,
    });
    await one.ready();
    await eventually('the member leads', () => one.held().size === 2);
    await rename(`${home.path}/store`, `${home.path}/gone`);
    await one.close();
    await nothingLeft(watches);
  });
});
