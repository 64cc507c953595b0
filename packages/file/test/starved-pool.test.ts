import { execFileSync } from 'node:child_process';
import { closeSync, constants, open, openSync } from 'node:fs';
import { eventually } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

/** As many threads as Node's pool has, unless the environment says otherwise. */
const poolThreads = 4;

/** Blocks all threads of Node's pool until disposed: opening a pipe that nobody writes to does not return. */
function blockPool(home: string): Disposable {
  const pipes = Array.from({ length: poolThreads }, (_, index) => `${home}/pipe.${index}`);
  for (const pipe of pipes) {
    execFileSync('mkfifo', [pipe]);
    open(pipe, constants.O_RDONLY, (_error, file) => closeSync(file));
  }
  return {
    [Symbol.dispose]() {
      for (const pipe of pipes) closeSync(openSync(pipe, constants.O_RDWR));
    },
  };
}

it.skipIf(process.platform === 'win32')('a leader keeps its lease while the thread pool is blocked', async () => {
  await using home = await tempDirectory();
  const thresholdMs = 500;
  const store = { directory: `${home.path}/store`, group: 'g', thresholdMs, partitions: 1 };
  await using one = fileLeadership(store);
  await eventually('it leads', () => one.role(0).isLeading());
  const token = one.role(0).term()?.token;
  using _ = blockPool(home.path);
  const until = performance.now() + 3 * thresholdMs;
  await eventually('three thresholds pass', () => performance.now() > until);
  expect(one.role(0).term()?.token).toBe(token);
  expect(one.health().troubles).toEqual([]);
});
