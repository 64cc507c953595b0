import type { Work } from '../contract/role.ts';
import type { Term } from '../contract/term.ts';
import { inside } from '../process/work-scope.ts';
import { deferred } from './deferred.ts';
import { holdOpen } from './hold-open.ts';

/**
 * Runs work within a term: the barrier waits for it (H2), unless it asks for the end of its own term itself. `undefined` where
 * the term has ended already: a subscriber that was told before may have taken its time, or ended it.
 */
export function runWork<T>(term: Term, work: Work<T>): Promise<T> | undefined {
  const released = deferred<void>();
  if (!holdOpen(term, released.promise)) return undefined;
  const excuse = (): void => released.resolve();
  const run = async (): Promise<T> => await work(term);
  const result = inside({ excuse }, run);
  result.then(excuse, excuse);
  return result;
}
