// Collects unhandled rejections in tests.

/**
 * Collects unhandled rejections until disposed, in place of all other listeners: otherwise a test
 * runner would fail the test, and a process would end. One watch at a time.
 */
export function watchRejections(): Disposable & {
  /** The reasons in order. */
  readonly reasons: readonly unknown[];
} {
  return rejectionsOf(() => true);
}

/** Collects those that `isOurs` accepts, and forwards all others to the other listeners. */
export function rejectionsOf(
  isOurs: (reason: unknown) => boolean,
): ReturnType<typeof watchRejections> {
  const reasons: unknown[] = [];
  const others = process.rawListeners('unhandledRejection') as NodeJS.UnhandledRejectionListener[];
  const listen: NodeJS.UnhandledRejectionListener = (reason, promise) => {
    if (isOurs(reason)) reasons.push(reason);
    else for (const other of others) other.call(process, reason, promise);
  };
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', listen);
  return {
    reasons,
    [Symbol.dispose]() {
      process.off('unhandledRejection', listen);
      for (const other of others) process.on('unhandledRejection', other);
    },
  };
}
