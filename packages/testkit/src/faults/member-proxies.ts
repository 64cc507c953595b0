// The proxies of one member in tests of groups without a store: one to each other member.
import { activeFaults } from './active-faults.ts';

/** A proxy whose faults all end at once. */
interface Mendable extends AsyncDisposable {
  readonly port: number;
  mend(): void;
}

/** The proxies of one member, by the member to which they lead, so that it alone can be cut off. */
interface MemberProxies<Fault> extends AsyncDisposable {
  /**
   * Opens a proxy, which reads the port of its target for each connection. Resolves with its own
   * port; `undefined` if the proxies are closed.
   */
  open(to: string, target: () => number): Promise<number | undefined>;
  /** Returns the port of the proxy, which is opened at the first call; `undefined` until it is. */
  portTo(to: string, target: () => number): number | undefined;
  /** Injects the fault until the result is disposed. */
  inject(fault: Fault): Disposable;
}

/**
 * Creates the proxies of a member. `apply` injects the faults that `has` returns into a proxy without
 * faults.
 */
export function memberProxies<Fault, Proxy extends Mendable>(
  openProxy: (target: { readonly port: number }) => Promise<Proxy>,
  apply: (to: string, proxy: Proxy, has: (...any: readonly Fault[]) => boolean) => void,
): MemberProxies<Fault> {
  const opening = new Map<string, Promise<number | undefined>>();
  const proxies = new Map<string, Proxy>();
  let isClosed = false;
  const update = (to: string, proxy: Proxy): void => {
    proxy.mend();
    apply(to, proxy, (...any) => faults.some(({ fault }) => any.includes(fault)));
  };
  // The same fault may be injected twice: each has an end of its own.
  const faults = activeFaults<{ readonly fault: Fault }>(() => {
    for (const [to, proxy] of proxies) update(to, proxy);
  });
  const opened = async (to: string, target: () => number): Promise<number | undefined> => {
    const proxy = await openProxy({
      get port() {
        return target();
      },
    });
    if (isClosed) return void (await proxy[Symbol.asyncDispose]());
    proxies.set(to, proxy);
    update(to, proxy);
    return proxy.port;
  };
  const open = (to: string, target: () => number): Promise<number | undefined> => {
    if (isClosed) return Promise.resolve(undefined);
    const known = opening.get(to) ?? opened(to, target);
    opening.set(to, known);
    return known;
  };
  return {
    open,
    portTo(to, target) {
      void open(to, target);
      return proxies.get(to)?.port;
    },
    inject: (fault) => faults.begin({ fault }),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all(opening.values());
      await Promise.all([...proxies.values()].map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}
