// Blocks the work of a leader for as long as a check wants.

/** A gate that blocks work until the check opens it. */
export interface Gate extends Disposable {
  readonly passed: Promise<void>;
  open(): void;
}

/** Creates a closed gate. Disposing opens it, so that no work remains blocked after the check. */
export function gate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open, [Symbol.dispose]: () => open() };
}

/** Resolves once the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}
