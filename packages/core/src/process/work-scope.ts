// Tracks the runs of work that the current call is made from. `close()` and `resign()` wait for
// work to drain, so work that awaits one of them would wait for itself. The barrier still waits for
// such work; only the promise that the work receives resolves early. A run counts only if the call would
// wait for it.
import { AsyncResource } from 'node:async_hooks';
import type { Term } from '../contract/term.ts';
import { CallScopes } from './call-scopes.ts';
import { aborted } from './on-abort.ts';

/** A run of work. */
interface Run {
  readonly term: Term;
  /** The number of unsettled calls of `lead` that were made inside this run. */
  leads: number;
}

const scopes = new CallScopes<Run>();
const running = new WeakMap<Term, Set<Run>>();

/** Calls `body` as a run of work within `term`. */
export function inside<T>(term: Term, body: () => Promise<T>): Promise<T> {
  const run: Run = { term, leads: 0 };
  const runs = running.get(term) ?? new Set();
  running.set(term, runs.add(run));
  const end = (): void => void runs.delete(run);
  const result = scopes.inside(run, body);
  result.then(end, end);
  return result;
}

/**
 * Binds `body` to the async context of this call. A term may begin inside a callback of unrelated
 * code, whose context does not apply to the work.
 */
export function fromHere<Argument>(
  body: (argument: Argument) => void,
): (argument: Argument) => void {
  // Not `AsyncResource.bind`, which in Node 20 also makes a deprecated property for each call.
  const here = new AsyncResource('leadership');
  return (argument) => here.runInAsyncScope(body, undefined, argument);
}

/**
 * Returns the promise for a call that drains terms. It resolves with `drained`. If the call is made
 * from inside runs whose terms it waits for (`isDrained`), it resolves as soon as the revocation of
 * these terms has begun. The drain itself still waits for the runs.
 */
export function drainedFor(
  drained: Promise<void>,
  isDrained: (term: Term) => boolean,
): Promise<void> {
  const own = scopes
    .callers()
    .map(({ term }) => term)
    .filter(isDrained);
  if (own.length === 0) return drained;
  const begun = Promise.all(own.map(({ signal }) => aborted(signal)));
  return Promise.race([drained, begun.then(() => undefined)]);
}

/** Counts a call of `lead` in the runs that it is made from, until it settles. */
export function leadsInside(): Disposable {
  const callers = scopes.callers();
  for (const run of callers) run.leads += 1;
  return {
    [Symbol.dispose]() {
      for (const run of callers) run.leads -= 1;
    },
  };
}

/**
 * Returns whether a run within that term may be awaiting its own `lead`, which resolves only once
 * the source is closed.
 */
export function mayAwaitLead(term: Term): boolean {
  return [...(running.get(term) ?? [])].some(({ leads }) => leads > 0);
}
