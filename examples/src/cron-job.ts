// A job that every process schedules and one of them runs.
import type { Role, Term } from '@leadership/core';

/** Runs `job` every `everyMs` on the member that leads `role` at that moment; the others skip it. Disposing stops the schedule. */
export function cronJob(role: Role, everyMs: number, job: (term: Term) => Promise<void>): Disposable {
  const timer = setInterval(() => {
    // Asked anew each time, and true in the very call. A hand-over waits for a job that has begun.
    role.ifLeading(job)?.catch((error: unknown) => console.error('the job failed:', error));
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
