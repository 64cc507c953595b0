// Measures how long the store of the demo takes to answer: the demo adds that to the longest
// fail-over that its guarantee allows.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Pause between two probes, in milliseconds. Short enough for several probes during one fail-over.
 */
const periodMs = 50;

/** Measures the response time of a store. */
export interface AnswerWatch extends Disposable {
  /**
   * Returns the longest response time since the previous call, in milliseconds. A pending probe
   * counts.
   */
  takeMs(): number;
}

/** Calls `ask` repeatedly until disposed. A rejection counts as a response. */
export function answerWatch(ask: () => Promise<unknown>): AnswerWatch {
  const over = new AbortController();
  let askedAt: number | undefined;
  let worstMs = 0;
  const note = (): void => {
    if (askedAt !== undefined) worstMs = Math.max(worstMs, performance.now() - askedAt);
  };
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      askedAt = performance.now();
      await ask().catch(() => undefined);
      note();
      askedAt = undefined;
      await pause(periodMs, undefined, { signal: over.signal });
    }
  };
  watch().catch(() => undefined);
  return {
    takeMs() {
      note();
      const tookMs = worstMs;
      worstMs = 0;
      return tookMs;
    },
    [Symbol.dispose]: () => over.abort(),
  };
}

/**
 * Measures how long the disk takes to keep a file in this directory. A member of Nerio keeps one
 * before each grant, and a member on files before each claim.
 */
export function diskAnswers(directory: string): AnswerWatch {
  return answerWatch(() => keep(join(directory, 'probe')));
}

/** Writes and syncs a file. */
async function keep(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile('kept');
    await file.sync();
  } finally {
    await file.close();
  }
}
