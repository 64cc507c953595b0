// Lets `node-cron` run each tick once across all members.
import { LeadershipError, type Role } from '@leadership/core';
import { oncePerTick } from './once-per-tick.ts';
import type { TickStore } from './tick-store.ts';

/** A coordinator of `node-cron` 4.6 or newer: its `RunCoordinator`. */
export interface NodeCronCoordinator {
  /** Resolves with whether this process runs the task at the tick that the key names. */
  shouldRun(key: string): Promise<boolean>;
  /** Ends the run of that tick. */
  onComplete(key: string): void;
}

/** `NAME:TIME`, as `node-cron` forms it from the name of the task and the time of the tick. */
const keyPattern = /^(?<name>.*):(?<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/s;

/**
 * Returns a coordinator for tasks of `node-cron`, whose leader runs each tick at most once:
 * `cron.schedule('0 2 * * *', job, { name: 'report', distributed: true, runCoordinator:
 * nodeCronCoordinator(role) })`. The ticks are kept in the group of the role, or in `store`. An orderly hand-over waits for a running task. A
 * member that does not lead answers after the grace of `oncePerTick`, because the leader may change
 * at the tick. Ticks that no member runs are not caught up, but are a warning of the process.
 */
export function nodeCronCoordinator(role: Role, store?: TickStore): NodeCronCoordinator {
  const running = new Map<string, () => void>();
  return {
    async shouldRun(key) {
      const options = { ...parsed(key), ...(store && { store }) };
      return new Promise((resolve, reject) => {
        const run = (): Promise<void> =>
          new Promise((complete) => {
            running.set(key, complete);
            resolve(true);
          });
        // After a run, this resolution has no effect.
        oncePerTick(role, run, options).then(() => resolve(false), reject);
      });
    },
    onComplete(key) {
      running.get(key)?.();
      running.delete(key);
    },
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
