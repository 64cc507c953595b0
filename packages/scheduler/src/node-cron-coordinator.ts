import { LeadershipError, type Role } from '@leadership/core';
import { oncePerTick } from './once-per-tick.ts';
import type { Tick } from './tick.ts';
import type { TickStore } from './tick-store.ts';

/** A coordinator of `node-cron` 4.6 or newer: its `RunCoordinator`. */
export interface NodeCronCoordinator {
  /**
   * Resolves with whether this process runs the task at the tick that the key names. A hand-over
   * waits for the run until `onComplete`, for at most `ttlMs` milliseconds. `node-cron` passes the
   * option `distributedLease` of the task, 30 s by default.
   */
  shouldRun(key: string, ttlMs?: number): Promise<boolean>;
  /** Ends the run of that tick. */
  onComplete(key: string): void;
}

/** `NAME:TIME`, as `node-cron` forms it from the name of the task and the time of the tick. */
const keyPattern = /^(?<name>.*):(?<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/s;

/** The longest delay that `setTimeout` supports. A run that may last longer has no limit. */
const ttlMsMax = 2 ** 31 - 1;

/**
 * Returns a coordinator for tasks of `node-cron`, whose leader runs each tick at most once:
 * `cron.schedule('0 2 * * *', job, { name: 'report', distributed: true, runCoordinator:
 * nodeCronCoordinator(role, store) })`. An orderly hand-over waits for a running task, until its
 * `distributedLease` (30 s by default) is over: set it above the longest run. Ticks that no member
 * runs are not caught up.
 */
export function nodeCronCoordinator(role: Role, store: TickStore): NodeCronCoordinator {
  const running = new Map<string, () => void>();
  const warnOfAbandoned = abandonedWarner();
  return {
    async shouldRun(key, ttlMs = Number.POSITIVE_INFINITY) {
      const { name, at } = parsed(key);
      return new Promise((resolve, reject) => {
        const run = ({ term }: Tick): Promise<void> =>
          new Promise((complete) => {
            // `node-cron` reports no end of a run that it abandons, as when the task is stopped
            // during `maxRandomDelay`, or when the process of a background task dies. The term
            // would never drain.
            const timer = ttlMs <= ttlMsMax ? setTimeout(lapse, ttlMs).unref() : undefined;
            running.set(key, end);
            resolve(true);

            function lapse(): void {
              if (term.isCurrent()) warnOfAbandoned(name, at, ttlMs);
              end();
            }
            function end(): void {
              clearTimeout(timer);
              running.delete(key);
              complete();
            }
          });
        const ran = oncePerTick(role, run, { name, at, store }) ?? Promise.resolve();
        // After a run, this resolution has no effect.
        ran.then(() => resolve(false), reject);
      });
    },
    onComplete(key) {
      running.get(key)?.();
    },
  };
}

/** Returns a function that warns the process of the first run of each task that exceeds its limit. */
function abandonedWarner(): (name: string, at: Date, ttlMs: number) => void {
  const warned = new Set<string>();
  return (name, at, ttlMs) => {
    if (warned.has(name)) return;
    warned.add(name);
    process.emitWarning(
      `nodeCronCoordinator: task "${name}" has not completed its run of ${at.toISOString()} within its distributedLease of ${ttlMs} ms, so a hand-over does not wait for it any longer: set distributedLease above the longest run; a run that was stopped or whose process died needs no action`,
      { type: 'LeadershipWarning', code: 'LEADERSHIP_JOB_ABANDONED' },
    );
  };
}

function parsed(key: string): { readonly name: string; readonly at: Date } {
  const { name = '', at = '' } = keyPattern.exec(key)?.groups ?? {};
  if (name === '')
    throw new LeadershipError(
      'invalid-options',
      `nodeCronCoordinator: "${key}" is not the name and the time of a tick; use node-cron 4.6 or newer`,
    );
  return { name, at: new Date(at) };
}
