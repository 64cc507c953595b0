// The faults of one connection. Several may hold at a time: a proxy has one state only, so each fault
// that begins or ends applies all that hold, the strongest last. Otherwise the end of a short fault
// would end the others early.

/** A proxy that injects faults into one connection. */
export interface LinkProxy extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
  cut(): void;
  /** Accepts everything and passes nothing on. */
  halfOpen(): void;
  cutOneWay(direction: 'to-server'): void;
  /** Milliseconds. */
  delay(ms: number): void;
  mend(): void;
}

/** A fault of one connection. */
export interface LinkFault<Proxy> {
  /** Of two faults the stronger one hides the other. */
  readonly strength: number;
  readonly apply: (proxy: Proxy) => void;
}

/** All messages are lost. */
export const cut: LinkFault<LinkProxy> = { strength: 4, apply: (proxy) => proxy.cut() };

/** Everything is accepted, and nothing passed on. */
export const halfOpen: LinkFault<LinkProxy> = { strength: 3, apply: (proxy) => proxy.halfOpen() };

/** Everything sent over this connection is lost. */
export const oneWay: LinkFault<LinkProxy> = {
  strength: 2,
  apply: (proxy) => proxy.cutOneWay('to-server'),
};

/** Messages arrive late. */
export function delayed(ms: number): LinkFault<LinkProxy> {
  return { strength: 1, apply: (proxy) => proxy.delay(ms) };
}

/** The faults that a connection has now. */
export class LinkFaults<Proxy extends LinkProxy> {
  readonly #proxy: Proxy;
  readonly #held = new Set<LinkFault<Proxy>>();

  constructor(proxy: Proxy) {
    this.#proxy = proxy;
  }

  /** Begins a fault. The returned function ends it. */
  begin({ strength, apply }: LinkFault<Proxy>): () => void {
    // The same fault may be injected twice: each has an end of its own.
    const fault = { strength, apply };
    this.#held.add(fault);
    this.#apply();
    return () => {
      this.#held.delete(fault);
      this.#proxy.mend();
      this.#apply();
    };
  }

  #apply(): void {
    const ordered = [...this.#held].sort((a, b) => a.strength - b.strength);
    for (const { apply } of ordered) apply(this.#proxy);
  }
}
