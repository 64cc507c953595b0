/** Something that work waits for until the check lets it go on. */
export interface Gate extends Disposable {
  readonly passed: Promise<void>;
  open(): void;
}

/** A closed gate. Disposing opens it: no check leaves work behind. */
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
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
