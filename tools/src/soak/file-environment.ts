// The store of soak tests on the file backend.
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SoakContext, SoakEnvironment } from './environment.ts';

/** Returns an environment on the file backend, in a new temporary directory. */
export async function fileEnvironment(): Promise<SoakEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-soak-'));
  const state = join(directory, 'soak');
  return {
    name: 'file',
    memberOptions: () => ({ url: `file:${encodeURI(directory)}?group=soak` }),
    memberFaults: {},
    environmentFaults: {
      'state deleted': () => removeState(state),
      'state restored': (context) => restoreState(state, context),
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/**
 * Removes the group's state in one step: moves it away first, because members create it again
 * during a removal.
 */
async function removeState(state: string): Promise<void> {
  const aside = `${state}-removed-${process.hrtime.bigint()}`;
  await rename(state, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(aside, { recursive: true, force: true });
}

/**
 * Takes a copy of the state, and lets it take the place of the state when it is older than T. A member
 * that starts cannot tell a younger one from the store that it replaces (decision 0031).
 */
async function restoreState(state: string, { rng, settings }: SoakContext): Promise<void> {
  const copy = `${state}-copy-${process.hrtime.bigint()}`;
  await untilDone(['ENOENT'], async () => {
    await rm(copy, { recursive: true, force: true });
    await cp(state, copy, { recursive: true, preserveTimestamps: true });
  });
  await pause(rng.between(1.1, 4) * settings.thresholdMs);
  await untilDone(['ENOTEMPTY', 'EEXIST'], async () => {
    await removeState(state);
    await rename(copy, state);
  });
}

const attemptsMax = 100;

/**
 * Repeats an action while it fails because of the members: one has removed a file before it was
 * copied, or has created the state before it was restored.
 */
async function untilDone(codes: readonly string[], action: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (attempt === attemptsMax || !codes.includes(code)) throw error;
    }
  }
}
