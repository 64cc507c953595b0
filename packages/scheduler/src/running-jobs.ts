// Knows from inside of which runs of jobs a call is made. A job that awaits the end of its own schedule
// would wait for itself. The async context propagates to all that a job creates, such as timers, so it
// counts only while that job runs.
import { AsyncLocalStorage } from 'node:async_hooks';

/** A run of a job. */
interface Run {
  readonly schedule: object;
  readonly outer: Run | undefined;
  isOver: boolean;
}

const runs = new AsyncLocalStorage<Run>();

/** Calls `body` as a run of a job of that schedule. */
export async function runInside(schedule: object, body: () => Promise<unknown>): Promise<void> {
  const run: Run = { schedule, outer: runs.getStore(), isOver: false };
  try {
    await runs.run(run, body);
  } finally {
    run.isOver = true;
  }
}

/** Returns whether this call is made from inside a running job of that schedule. */
export function runsInside(schedule: object): boolean {
  for (let run = runs.getStore(); run !== undefined; run = run.outer)
    if (run.schedule === schedule && !run.isOver) return true;
  return false;
}
