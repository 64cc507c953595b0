/** The connection of one member to the store of its group. A test can cut it. */
export interface Link {
  readonly isCut: boolean;
  /** Cuts the connection. */
  cut(): void;
  /** Restores the connection. Messages from the meantime are lost. */
  mend(): void;
  /** Calls the listener at each cut and each mend until disposed. */
  listen(listener: LinkListener): Disposable;
}

/** Callbacks for the loss and the return of the store. */
interface LinkListener {
  readonly cut?: () => void;
  readonly mended?: () => void;
}

/** Creates an intact connection. */
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
