/** Does something once for any number of reasons to. */
export interface Coalesced extends Disposable {
  /** There is a reason: it is done in a macrotask of its own, once, however many reasons there are by then. */
  (): void;
}

/** `run` happens at most once in a turn of the event loop, after everything else that the turn brings. */
export function coalesce(run: () => void): Coalesced {
  let pending: NodeJS.Immediate | undefined;
  const request = (): void => {
    pending ??= setImmediate(() => {
      pending = undefined;
      run();
    });
  };
  const dispose = (): void => {
    clearImmediate(pending);
    pending = undefined;
  };
  return Object.assign(request, { [Symbol.dispose]: dispose });
}
