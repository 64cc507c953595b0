import { deferred } from '../async/deferred.ts';
import type { Work } from '../contract/role.ts';
import type { Term } from '../contract/term.ts';
import { inside } from '../process/work-scope.ts';
import { holdOpen } from './hold-open.ts';

/**
 * Runs work within a term; the barrier waits for it (H2). Returns `undefined` if the term has
 * already ended, because an earlier subscriber blocked or ended it. `seen` is the term that the
 * work receives.
 */
export function runWork<T>(term: Term, work: Work<T>, seen: Term = term): Promise<T> | undefined {
  const released = deferred<void>();
  if (!holdOpen(term, released.promise)) return undefined;
  const settle = (): void => released.resolve();
  const result = inside(term, async () => await work(seen));
  result.then(settle, settle);
  return result;
}
