// Merges repeated requests within one turn of the event loop.

/** A callback that merges many requests into one run. */
export interface Coalesced extends Disposable {
  /** Requests a run. All requests before the run share it; it happens in a macrotask of its own. */
  (): void;
}

/** Calls `run` at most once per turn of the event loop, after everything else in that turn. */
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
