// Which runs of work the current call is made from. `close()` and `resign()` wait for work to drain: work that awaits one of them would
// wait for itself. The barrier waits for such work all the same; only the promise that the work gets resolves early.
//
// The async context reaches everything that work creates: handlers, timers, servers, other sources. So a context says no more than "this
// call may be awaited by that run", and it counts only while the run lasts, and only where the call would wait for that very run.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Term } from '../contract/term.ts';

/** A run of work. */
interface Scope {
  readonly term: Term;
  readonly outer: Scope | undefined;
  isOver: boolean;
  /** How many calls of `lead` that were made inside it are not settled. */
  leads: number;
}

const scopes = new AsyncLocalStorage<Scope>();
const running = new WeakMap<Term, Set<Scope>>();

/** Calls `body` as a run of work within `term`. */
export function inside<T>(term: Term, body: () => Promise<T>): Promise<T> {
  const scope: Scope = { term, outer: scopes.getStore(), isOver: false, leads: 0 };
  const runs = running.get(term) ?? new Set();
  running.set(term, runs.add(scope));
  const end = (): void => {
    scope.isOver = true;
    runs.delete(scope);
  };
  const result = scopes.run(scope, body);
  result.then(end, end);
  return result;
}

/** `body`, called as from here whoever calls it: a term begins in the middle of anybody's callback, and that is not its caller. */
export function fromHere<Argument>(body: (argument: Argument) => void): (argument: Argument) => void {
  return AsyncResource.bind(body);
}

/**
 * What a call that drains terms resolves with: `drained`; or, where the call is made from inside runs whose terms `isDrained` it waits
 * for, as soon as the revocation of these terms has begun. Nothing waits any less for the runs themselves.
 */
export function drainedFor(drained: Promise<void>, isDrained: (term: Term) => boolean): Promise<void> {
  const own = callerScopes()
    .map(({ term }) => term)
    .filter(isDrained);
  if (own.length === 0) return drained;
  const begun = Promise.all(own.map(({ signal }) => abortOf(signal)));
  return Promise.race([drained, begun.then(() => undefined)]);
}

/** Notes a call of `lead` in the runs that it is made from, until it is settled. */
export function leadsInside(): Disposable {
  const callers = callerScopes();
  for (const scope of callers) scope.leads += 1;
  return {
    [Symbol.dispose]() {
      for (const scope of callers) scope.leads -= 1;
    },
  };
}

/** Whether a run within that term may await a `lead` of its own, which resolves only once the source is closed. */
export function mayAwaitLead(term: Term): boolean {
  return [...(running.get(term) ?? [])].some(({ leads }) => leads > 0);
}

function callerScopes(): readonly Scope[] {
  const callers: Scope[] = [];
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) if (!scope.isOver) callers.push(scope);
  return callers;
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
