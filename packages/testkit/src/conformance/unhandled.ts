/** What was rejected and handled by nobody. */
export interface Unhandled extends Disposable {
  /** How often it was reported for one of the awaited reasons. */
  readonly count: number;
}

/**
 * Listens for unhandled rejections with one of these reasons, in place of whoever listens otherwise: a test runner would fail
 * for them before the check can say why. All others go where they went before.
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
