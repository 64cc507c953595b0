// The faults of a proxy that are in effect now.

/** The direction of bytes or datagrams. */
export type Direction = 'to-server' | 'to-client';

/** The faults in effect. Several may be in effect at a time, and each ends by itself. */
export interface ActiveFaults<Fault> {
  readonly all: ReadonlySet<Fault>;
  /** Begins a fault. Disposal ends it. */
  begin(fault: Fault): Disposable;
  /** Ends all faults. */
  clear(): void;
  /** Returns whether a fault has this property. */
  some(has: (fault: Fault) => boolean): boolean;
}

/** Creates a set without faults. `changed` is called after each beginning and end. */
export function activeFaults<Fault>(changed: () => void): ActiveFaults<Fault> {
  const all = new Set<Fault>();
  return {
    all,
    begin(fault) {
      all.add(fault);
      changed();
      return {
        [Symbol.dispose]() {
          if (all.delete(fault)) changed();
        },
      };
    },
    clear() {
      all.clear();
      changed();
    },
    some: (has) => [...all].some(has),
  };
}
