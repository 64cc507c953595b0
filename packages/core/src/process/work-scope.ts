// Which work the current call is made from. `close()` and `resign()` wait for work to drain: called from inside work they
// would wait for themselves, for ever.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/** A run of work, as the calls made from inside it see it. */
export interface Run {
  /** The barrier waits for this run no longer. */
  excuse(): void;
}

interface Scope extends Run {
  readonly outer: Scope | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Calls `body` as the inside of `run`. */
export function inside<T>(run: Run, body: () => T): T {
  return scopes.run({ excuse: run.excuse, outer: scopes.getStore() }, body);
}

/** `body`, called as from here whoever calls it: a term begins in the middle of anybody's callback, and that is not its caller. */
export function fromHere<Argument>(body: (argument: Argument) => void): (argument: Argument) => void {
  return AsyncResource.bind(body);
}

/** Excuses every run that the current call is inside of. */
export function excuseCaller(): void {
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) scope.excuse();
}
