// Knows from inside of which runs of functions a call is made. Work that awaits the end of its own run
// would wait for itself. The async context propagates to everything that a run creates: handlers, timers,
// servers, other sources. A context therefore only means that the run may await this call, and it counts
// only while the run lasts.
import { AsyncLocalStorage } from 'node:async_hooks';

interface Scope<T> {
  readonly run: T;
  readonly outer: Scope<T> | undefined;
  isOver: boolean;
}

/** The runs of one kind, each with a value that names it. */
export class CallScopes<T> {
  readonly #scopes = new AsyncLocalStorage<Scope<T>>();

  /** Calls `body` as that run. */
  inside<R>(run: T, body: () => Promise<R>): Promise<R> {
    const scope = { run, outer: this.#scopes.getStore(), isOver: false };
    const end = (): void => {
      scope.isOver = true;
    };
    const result = this.#scopes.run(scope, body);
    result.then(end, end);
    return result;
  }

  /** Returns the runs that this call is made from, the innermost first. */
  callers(): readonly T[] {
    const callers: T[] = [];
    for (let scope = this.#scopes.getStore(); scope !== undefined; scope = scope.outer)
      if (!scope.isOver) callers.push(scope.run);
    return callers;
  }
}
