/** One member's way to the store of its group, which a test can sever. */
export interface Link {
  readonly isCut: boolean;
  /** Nothing gets through from here on. */
  cut(): void;
  /** Everything gets through again; what was said meanwhile is lost. */
  mend(): void;
  /** Hears of each cut and each mend until disposed. */
  listen(listener: LinkListener): Disposable;
}

/** Who needs to know when the store goes away and comes back. */
interface LinkListener {
  readonly cut?: () => void;
  readonly mended?: () => void;
}

/** A link that holds. */
export function memoryLink(): Link {
  const listeners = new Set<LinkListener>();
  let isCut = false;
  return {
    get isCut() {
      return isCut;
    },
    cut() {
      if (isCut) return;
      isCut = true;
      for (const listener of listeners) listener.cut?.();
    },
    mend() {
      if (!isCut) return;
      isCut = false;
      for (const listener of listeners) listener.mended?.();
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
