// Calls back when a signal of the application aborts. An application may pass the same signal to
// many calls. Node warns of a leak at the eleventh listener, so all callbacks of this library for
// one signal share a single listener.
const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` once when the signal aborts, immediately if it already has. Disposing removes
 * the callback and leaves no listener behind.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): Disposable {
  if (signal === undefined) return { [Symbol.dispose]: () => undefined };
  if (signal.aborted) {
    callback();
    return { [Symbol.dispose]: () => undefined };
  }
  const shared = callbacks.get(signal) ?? new Set();
  callbacks.set(signal, shared);
  const own = (): void => callback();
  if (shared.size === 0) signal.addEventListener('abort', callAll);
  shared.add(own);
  return {
    [Symbol.dispose]() {
      shared.delete(own);
      if (shared.size === 0) signal.removeEventListener('abort', callAll);
    },
  };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}

function callAll(this: AbortSignal): void {
  const shared = callbacks.get(this);
  const due = [...(shared ?? [])];
  shared?.clear();
  this.removeEventListener('abort', callAll);
  for (const callback of due) callback();
}
