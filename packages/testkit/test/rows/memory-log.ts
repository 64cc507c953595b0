// A log in memory as a store of rows.

import { monotonicClock, type Rows } from '@leadership/core/adapter';
import { type LogOfRows, logRows, MemoryLog } from '@leadership/core/internal/rows';
import type { RowsStore } from '../../src/index.ts';
import { pause } from './memory-rows.ts';

/** How long a fetch waits for a record. */
const waitMs = 20;

/** A log with its readers that wait for a record. */
class SharedLog {
  readonly log = new MemoryLog();
  readonly waiting = new Set<() => void>();

  append(text: string): void {
    this.log.append(text);
    for (const wake of this.waiting) wake();
  }

  /** Waits for the next record; not for long, as a broker. */
  async next(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }
}

function reach(shared: SharedLog): LogOfRows {
  const { log } = shared;
  return {
    name: 'a log in memory',
    async append(text, signal) {
      await pause();
      signal.throwIfAborted();
      shared.append(text);
    },
    async fetch(from, next, signal) {
      await pause();
      if (next === log.end) await shared.next(signal);
      signal.throwIfAborted();
      return log.fetch(from, 3);
    },
    async end(signal) {
      await pause();
      signal.throwIfAborted();
      return log.end;
    },
    async cut(below) {
      log.cut(below);
    },
  };
}

/**
 * Opens a log of all groups. A copy is due after few entries, and has several parts. They must be
 * fewer than the entries between copies: with more, each copy would be too late for every reader, and
 * the next one would be due at once.
 */
export function memoryLogs(): RowsStore {
  const shared = new SharedLog();
  const options = { clock: monotonicClock, copyEvery: 40, partLength: 20_000 };
  const open = (group: string): Rows => logRows(reach(shared), { ...options, group });
  return {
    name: 'log',
    openRows: open,
    holdsNul: true,
    notifies: true,
    cannot: { 'hand-edits': 'no person appends to a log' },
    async promote(during) {
      const { log } = shared;
      const { end } = log;
      await during();
      log.changeLeader(log.end - end);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
