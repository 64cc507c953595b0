// A job that every process schedules, but only the leader runs.
import type { Role, Term } from '@leadership/core';

/**
 * Runs `job` every `everyMs` milliseconds if this member leads `role` at that moment. Disposing
 * stops the schedule.
 */
export function cronJob(
  role: Role,
  everyMs: number,
  job: (term: Term) => Promise<void>,
): Disposable {
  const timer = setInterval(() => {
    // ifLeading() checks at every call whether this member leads now. A hand-over waits for a job
    // that has started.
    role.ifLeading(job)?.catch((error: unknown) => console.error('the job failed:', error));
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
