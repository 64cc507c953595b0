// Collects unhandled rejections in tests.

/**
 * Collects unhandled rejections until disposed, in place of all other listeners: otherwise a test
 * runner would fail the test, and a process would end. One watch at a time.
 */
export function watchRejections(): Disposable & {
  /** The reasons in order. */
  readonly reasons: readonly unknown[];
} {
  const reasons: unknown[] = [];
  const others = process.rawListeners('unhandledRejection') as NodeJS.UnhandledRejectionListener[];
  const listen = (reason: unknown): void => void reasons.push(reason);
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', listen);
  return {
    reasons,
    [Symbol.dispose]() {
      process.off('unhandledRejection', listen);
      for (const other of others) process.on('unhandledRejection', other);
    },
  };
}
