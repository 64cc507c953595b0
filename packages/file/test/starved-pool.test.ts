import { execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { closeSync, constants, open, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Health } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

const hash = promisify(pbkdf2);

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

/** Keeps so many password hashes waiting for the pool until disposed: each takes a tenth of a second of a core, and 24 more than three thresholds. */
function hashPasswords(count: number): AsyncDisposable {
  let isOver = false;
  const one = async (): Promise<void> => {
    while (!isOver) await hash('password', 'salt', 100_000, 64, 'sha512');
  };
  const all = Array.from({ length: count }, one);
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      await Promise.all(all);
    },
  };
}

describe('a leader keeps its lease', () => {
  // A lease that a stall of the machine costs cannot come back while the pool is blocked.
  const thresholdMs = 1000;

  /** Opens a leader, starts what is in the way, and expects the same term three thresholds later. Returns the troubles of then. */
  async function keepsItsTerm(start: (home: string) => Disposable | AsyncDisposable): Promise<Health['troubles']> {
    await using home = await tempDirectory();
    await using one = fileLeadership({ directory: `${home.path}/store`, group: 'g', thresholdMs, partitions: 1 });
    await eventually('it leads', () => one.role(0).isLeading());
    const token = one.role(0).term()?.token;
    await using _ = start(home.path);
    const until = performance.now() + 3 * thresholdMs;
    await eventually('three thresholds pass', () => performance.now() > until);
    expect(one.role(0).term()?.token).toBe(token);
    return one.health().troubles;
  }

  it.skipIf(process.platform === 'win32')('while all threads of the pool are blocked', async () => {
    expect(await keepsItsTerm(blockPool)).toEqual([]);
  });

  it('while 24 passwords are hashed at a time, which leaves little of the cores too', async () => {
    await keepsItsTerm(() => hashPasswords(24));
  });
});
