// Finds unhandled rejections in a check.

/** Counts unhandled rejections. */
export interface Unhandled extends Disposable {
  /** The number of unhandled rejections with an expected reason. */
  readonly count: number;
}

/**
 * Counts the unhandled rejections that `isOurs` accepts and forwards all others to the previous
 * listeners. The previous listeners are replaced because a test runner would fail before the check
 * can report the reason.
 */
export function unhandled(isOurs: (reason: unknown) => boolean): Unhandled {
  const before = process.rawListeners('unhandledRejection') as NodeJS.UnhandledRejectionListener[];
  let count = 0;
  const listen: NodeJS.UnhandledRejectionListener = (reason, promise) => {
    if (isOurs(reason)) count += 1;
    else for (const listener of before) listener.call(process, reason, promise);
  };
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', listen);
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]() {
      process.off('unhandledRejection', listen);
      for (const listener of before) process.on('unhandledRejection', listener);
    },
  };
}
