import { freePorts } from '@leadership/testkit/faults';
import {
  type AddressBook,
  type GossipProxy,
  gossipProxy,
  memberProxies,
} from '@leadership/testkit/internal';
import { type OpenGossip, udpTransport } from '../../src/index.ts';

/** No process listens on this port. */
const closedPort = 1;

/** A fault of one member's messages. */
export type Fault = 'cut' | 'writes-cut' | 'reads-cut' | 'late-writes';

/**
 * All messages of one member, in both directions, each through a proxy: so that member alone can be
 * cut off.
 */
export interface GossipProxies extends AsyncDisposable {
  readonly transport: OpenGossip;
  /**
   * Injects the fault until the result is disposed. `cut`: discards all messages of the member and to
   * it. `writes-cut`, `reads-cut`: only those that it sends, or receives. `late-writes`: holds what
   * it sends until the result is disposed.
   */
  inject(fault: Fault): Disposable;
}

/** Creates the proxies of that member. Other members find its proxy in the book. */
export function gossipProxies(member: string, book: AddressBook): GossipProxies {
  const proxies = memberProxies<Fault, GossipProxy>(gossipProxy, (to, proxy, has) => {
    const isOwn = to === member;
    if (has('cut', isOwn ? 'reads-cut' : 'writes-cut')) proxy.cut();
    else if (!isOwn && has('late-writes')) proxy.halfOpen();
  });
  return {
    async transport(place, listener) {
      const [port = closedPort] = await freePorts(1);
      // Before the transport asks for addresses: a member may know its own name from before.
      const own = await proxies.open(member, () => port);
      const transport = await udpTransport({
        listen: { host: '127.0.0.1', port },
        addresses(other) {
          if (book.find(other) === undefined) return undefined;
          const through = proxies.portTo(other, () => book.find(other) ?? closedPort);
          return through === undefined ? undefined : `127.0.0.1:${through}`;
        },
      })(place, listener);
      book.enter(member, own ?? closedPort);
      return transport;
    },
    inject: (fault) => proxies.inject(fault),
    [Symbol.asyncDispose]: () => proxies[Symbol.asyncDispose](),
  };
}
