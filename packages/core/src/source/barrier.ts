/** The promises that an orderly end waits for (H2). They can be added until it is sealed. */
export interface Barrier {
  add(done: PromiseLike<unknown>): void;
  /**
   * Resolves once every promise has settled, including those added meanwhile. Then the barrier is
   * sealed.
   */
  settled(): Promise<void>;
  readonly sealed: boolean;
  /** Whether a promise that was added has not settled. */
  readonly isPending: boolean;
}

export function barrier(): Barrier {
  let pending = 0;
  let isSealed = false;
  let opened: (() => void) | undefined;
  let opening: Promise<void> | undefined;
  const seal = (): void => {
    if (pending > 0 || opened === undefined) return;
    isSealed = true;
    opened();
  };
  const settle = (): void => {
    pending -= 1;
    seal();
  };
  return {
    add(done) {
      pending += 1;
      Promise.resolve(done).then(settle, settle);
    },
    settled() {
      opening ??= new Promise((resolve) => {
        opened = resolve;
        seal();
      });
      return opening;
    },
    get sealed() {
      return isSealed;
    },
    get isPending() {
      return pending > 0;
    },
  };
}
