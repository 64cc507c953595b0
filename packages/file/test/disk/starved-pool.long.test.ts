import { execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { closeSync, constants, open, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Health } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../../src/index.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const hash = promisify(pbkdf2);

/** The default number of threads in Node's pool. */
const poolThreads = 4;

/**
 * Blocks all threads of Node's pool until disposed: opening a pipe without a writer does not
 * return.
 */
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

/**
 * Keeps this number of password hashes waiting for the pool until disposed. Each takes 100 ms of a
 * core, and 24 more than 3 T.
 */
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
  // A lease that is lost to a stall of the machine could not be acquired again while the pool is
  // blocked, so T is long.
  const thresholdMs = 1000;

  /**
   * Opens a leader, starts the disturbance, and expects the same term 3 T later. Returns the
   * problems reported then.
   */
  async function keepsItsTerm(
    start: (home: string) => Disposable | AsyncDisposable,
  ): Promise<Health['troubles']> {
    await using home = await tempDirectory();
    await using one = fileLeadership({
      directory: `${home.path}/store`,
      group: 'g',
      thresholdMs,
      partitions: 1,
    });
    await eventually('the member leads', () => one.role(0).isLeading());
    const token = one.role(0).term()?.token;
    await using _ = start(home.path);
    const until = performance.now() + 3 * thresholdMs;
    await eventually('three times T have passed', () => performance.now() > until);
    expect(one.role(0).term()?.token).toBe(token);
    return one.health().troubles;
  }

  it.skipIf(process.platform === 'win32')('while all threads of the pool are blocked', async () => {
    expect(await keepsItsTerm(blockPool)).toEqual([]);
  });

  it('while 24 passwords are hashed concurrently, which also leaves little CPU time', async () => {
    await keepsItsTerm(() => hashPasswords(24));
  });
});
