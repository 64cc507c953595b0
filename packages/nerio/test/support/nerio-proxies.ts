import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { type AddressBook, activeFaults, memberProxies } from '@leadership/testkit/internal';
import { type OpenTransport, type Transport, tcpTransport } from '../../src/index.ts';

/** No process listens on this port. */
const closedPort = 1;

/** A fault of one member's connections. */
export type Fault =
  | 'cut'
  | 'writes-cut'
  | 'reads-cut'
  | 'hung-reads'
  | 'lost-replies'
  | 'late-writes';

/**
 * All connections of one member, in both directions, each through a proxy: so that member alone can
 * be cut off. A member sends its messages on the connections that it opens, and receives those of
 * the others on the connections that they open. So one direction can be cut alone.
 */
export interface NerioProxies extends AsyncDisposable {
  readonly transport: OpenTransport;
  /**
   * Injects the fault until the result is disposed. `cut`: resets every connection of the member
   * and every new one. `writes-cut`, `reads-cut`: only those on which it sends, or receives.
   * `hung-reads`, `lost-replies`: discards what others send to it, without a reset. `late-writes`:
   * holds its messages, and sends them when the result is disposed.
   */
  inject(fault: Fault): Disposable;
}

/** Creates the proxies of that member. Other members find its proxy in the book. */
export function nerioProxies(member: string, book: AddressBook): NerioProxies {
  const outgoing = lateSender();
  const proxies = memberProxies<Fault, TcpProxy>(tcpProxy, (to, proxy, has) => {
    const isOwn = to === member;
    if (has('cut', isOwn ? 'reads-cut' : 'writes-cut')) proxy.cut();
    else if (isOwn && has('hung-reads', 'lost-replies')) proxy.cutOneWay('to-server');
  });
  const tcp = tcpTransport({
    listen: { host: '127.0.0.1', port: 0 },
    addresses(other) {
      if (book.find(other) === undefined) return undefined;
      const port = proxies.portTo(other, () => book.find(other) ?? closedPort);
      return port === undefined ? undefined : `127.0.0.1:${port}`;
    },
    listening({ port }) {
      void proxies.open(member, () => port).then((own) => own && book.enter(member, own));
    },
  });
  return {
    // A plain function has no `fault` check, which would need the addresses of members that have
    // not started yet.
    transport: (parts) => outgoing.of(tcp(parts)),
    inject: (fault) => (fault === 'late-writes' ? outgoing.hold() : proxies.inject(fault)),
    [Symbol.asyncDispose]: () => proxies[Symbol.asyncDispose](),
  };
}

/**
 * Holds the messages of a transport. A proxy could not: both ends close a connection that is silent
 * for two thirds of T, and the bytes held in it would never arrive.
 */
interface LateSender {
  of(transport: Transport): Transport;
  /** Holds messages until the result is disposed, and then sends them. */
  hold(): Disposable;
}

function lateSender(): LateSender {
  const held: (() => void)[] = [];
  const late = activeFaults(() => {
    if (late.all.size === 0) for (const send of held.splice(0)) send();
  });
  return {
    of: (transport) => ({
      reach: (members) => transport.reach(members),
      enter: (epoch) => transport.enter(epoch),
      publish: (publication) => transport.publish?.(publication),
      send(to, message) {
        if (late.all.size > 0) held.push(() => transport.send(to, message));
        else transport.send(to, message);
      },
      isReached: (other) => transport.isReached(other),
      get dropped() {
        return transport.dropped;
      },
      close: () => transport.close(),
    }),
    hold: () => late.begin({}),
  };
}
