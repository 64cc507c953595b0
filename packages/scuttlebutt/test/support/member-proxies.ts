import { freePorts } from '@leadership/testkit/faults';
import { type AddressBook, type GossipProxy, gossipProxy } from '@leadership/testkit/internal';
import { type OpenGossip, udpTransport } from '../../src/index.ts';

/** No process listens on this port. */
const closedPort = 1;

/** A fault of one member's messages. */
export type Fault = 'cut' | 'writes-cut' | 'reads-cut' | 'late-writes';

/**
 * All messages of one member, in both directions, each through a proxy: so that member alone can be
 * cut off.
 */
export interface MemberProxies extends AsyncDisposable {
  readonly transport: OpenGossip;
  /**
   * Injects the fault until the result is disposed. `cut`: discards all messages of the member and to
   * it. `writes-cut`, `reads-cut`: only those that it sends, or receives. `late-writes`: holds what
   * it sends until the result is disposed.
   */
  hamper(fault: Fault): Disposable;
}

/** Creates the proxies of that member. Other members find its proxy in the book. */
export function memberProxies(member: string, book: AddressBook): MemberProxies {
  const faults: Fault[] = [];
  const proxies = new Map<string, GossipProxy | undefined>();
  const opening = new Set<Promise<void>>();
  let isOver = false;
  const has = (...any: readonly Fault[]): boolean => any.some((fault) => faults.includes(fault));
  const apply = (to: string, proxy: GossipProxy): void => {
    const isOwn = to === member;
    proxy.mend();
    if (has('cut', isOwn ? 'reads-cut' : 'writes-cut')) proxy.cut();
    else if (!isOwn && has('late-writes')) proxy.halfOpen();
  };
  const opened = (): readonly (readonly [string, GossipProxy])[] =>
    [...proxies].flatMap(([to, proxy]) => (proxy === undefined ? [] : [[to, proxy] as const]));
  const open = async (to: string, target: { readonly port: number }): Promise<void> => {
    const proxy = await gossipProxy(target);
    if (isOver) return proxy[Symbol.asyncDispose]();
    proxies.set(to, proxy);
    apply(to, proxy);
  };
  /** The proxy of that name; `undefined` until it is open. */
  const proxyTo = (to: string, target: { readonly port: number }): GossipProxy | undefined => {
    if (isOver || proxies.has(to)) return proxies.get(to);
    proxies.set(to, undefined);
    const made = open(to, target);
    opening.add(made);
    void made.finally(() => opening.delete(made));
    return undefined;
  };
  const changed = (): void => {
    for (const [to, proxy] of opened()) apply(to, proxy);
  };
  return {
    async transport(place, listener) {
      const [port = closedPort] = await freePorts(1);
      const transport = await udpTransport({
        listen: { host: '127.0.0.1', port },
        addresses(other) {
          if (book.find(other) === undefined) return undefined;
          const target = {
            get port() {
              return book.find(other) ?? closedPort;
            },
          };
          const proxy = proxyTo(other, target);
          return proxy && `127.0.0.1:${proxy.port}`;
        },
      })(place, listener);
      await open(member, { port });
      book.enter(member, proxies.get(member)?.port ?? closedPort);
      return transport;
    },
    hamper(fault) {
      faults.push(fault);
      changed();
      return {
        [Symbol.dispose]() {
          faults.splice(faults.indexOf(fault), 1);
          changed();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await Promise.all(opening);
      await Promise.all(opened().map(([, proxy]) => proxy[Symbol.asyncDispose]()));
    },
  };
}
