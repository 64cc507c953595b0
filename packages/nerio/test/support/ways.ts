import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { type OpenTransport, tcpTransport } from '../../src/index.ts';
import type { Book } from './book.mjs';

/** No process listens on this port. */
const closedPort = 1;

/** All connections of one member, in both directions, each through a proxy: so that member alone can be cut off. */
export interface Ways extends AsyncDisposable {
  readonly transport: OpenTransport;
  /** Resets every connection of the member in both directions, and every new one, until disposed. */
  cut(): Disposable;
}

/** Creates the proxies of that member. Other members find its proxy in the book. */
export function waysOf(member: string, book: Book): Ways {
  const proxies = new Map<string, TcpProxy | undefined>();
  const opening = new Set<Promise<unknown>>();
  let cuts = 0;
  let isOver = false;
  /** A proxy that looks up its target again for each connection. */
  const open = (to: string, port: () => number, opened: (proxy: TcpProxy) => void = () => undefined): void => {
    if (isOver || proxies.has(to)) return;
    proxies.set(to, undefined);
    const target = {
      get port() {
        return port();
      },
    };
    const made = tcpProxy(target).then(async (proxy) => {
      if (isOver) return proxy[Symbol.asyncDispose]();
      proxies.set(to, proxy);
      if (cuts > 0) proxy.cut();
      opened(proxy);
    });
    opening.add(made);
    void made.finally(() => opening.delete(made));
  };
  const all = (): readonly TcpProxy[] => [...proxies.values()].filter((proxy) => proxy !== undefined);
  const tcp = tcpTransport({
    listen: { host: '127.0.0.1', port: 0 },
    addresses(other) {
      if (book.find(other) === undefined) return undefined;
      open(other, () => book.find(other) ?? closedPort);
      const proxy = proxies.get(other);
      return proxy && `127.0.0.1:${proxy.port}`;
    },
    listening: ({ port }) =>
      open(
        member,
        () => port,
        (proxy) => book.enter(member, proxy.port),
      ),
  });
  return {
    // A plain function has no `fault` check, which would need the addresses of members that have not started yet.
    transport: (parts) => tcp(parts),
    cut() {
      cuts += 1;
      for (const proxy of all()) proxy.cut();
      return {
        [Symbol.dispose]() {
          cuts -= 1;
          if (cuts === 0) for (const proxy of all()) proxy.mend();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await Promise.all(opening);
      await Promise.all(all().map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}
