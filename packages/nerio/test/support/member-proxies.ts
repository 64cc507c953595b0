import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type { AddressBook } from '@leadership/testkit/internal';
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
export interface MemberProxies extends AsyncDisposable {
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
export function memberProxies(member: string, book: AddressBook): MemberProxies {
  const faults: Fault[] = [];
  const outgoing = lateSender();
  const has = (...any: readonly Fault[]): boolean => any.some((fault) => faults.includes(fault));
  const proxies = proxiesOf((to, proxy) => {
    const isOwn = to === member;
    proxy.mend();
    if (has('cut', isOwn ? 'reads-cut' : 'writes-cut')) proxy.cut();
    else if (isOwn && has('hung-reads', 'lost-replies')) proxy.cutOneWay('to-server');
  });
  const tcp = tcpTransport({
    listen: { host: '127.0.0.1', port: 0 },
    addresses(other) {
      if (book.find(other) === undefined) return undefined;
      proxies.open(other, () => book.find(other) ?? closedPort);
      const port = proxies.portTo(other);
      return port === undefined ? undefined : `127.0.0.1:${port}`;
    },
    listening: ({ port }) =>
      proxies.open(
        member,
        () => port,
        (proxy) => book.enter(member, proxy.port),
      ),
  });
  const change = (): void => {
    proxies.changed();
    outgoing.holds(has('late-writes'));
  };
  return {
    // A plain function has no `fault` check, which would need the addresses of members that have
    // not started yet.
    transport: (parts) => outgoing.of(tcp(parts)),
    inject(fault) {
      faults.push(fault);
      change();
      return {
        [Symbol.dispose]() {
          faults.splice(faults.indexOf(fault), 1);
          change();
        },
      };
    },
    [Symbol.asyncDispose]: () => proxies[Symbol.asyncDispose](),
  };
}

/**
 * Holds the messages of a transport. A proxy could not: both ends close a connection that is silent
 * for two thirds of T, and the bytes held in it would never arrive.
 */
interface LateSender {
  of(transport: Transport): Transport;
  /** Whether messages are held. Sends those held so far if not. */
  holds(isLate: boolean): void;
}

function lateSender(): LateSender {
  const held: (() => void)[] = [];
  let isLate = false;
  return {
    of: (transport) => ({
      reach: (members) => transport.reach(members),
      enter: (epoch) => transport.enter(epoch),
      send(to, message) {
        if (isLate) held.push(() => transport.send(to, message));
        else transport.send(to, message);
      },
      isReached: (other) => transport.isReached(other),
      get dropped() {
        return transport.dropped;
      },
      close: () => transport.close(),
    }),
    holds(now) {
      isLate = now;
      if (!isLate) for (const send of held.splice(0)) send();
    },
  };
}

/** The proxies of one member, by the member to which they lead. */
interface Proxies extends AsyncDisposable {
  /** Opens a proxy that looks up its target again for each connection. */
  open(to: string, port: () => number, opened?: (proxy: TcpProxy) => void): void;
  portTo(to: string): number | undefined;
  /** Applies the faults to every proxy. */
  changed(): void;
}

function proxiesOf(apply: (to: string, proxy: TcpProxy) => void): Proxies {
  const proxies = new Map<string, TcpProxy | undefined>();
  const opening = new Set<Promise<unknown>>();
  let isOver = false;
  const opened = (): readonly (readonly [string, TcpProxy])[] =>
    [...proxies].flatMap(([to, proxy]) => (proxy === undefined ? [] : [[to, proxy] as const]));
  return {
    open(to, port, then = () => undefined) {
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
        apply(to, proxy);
        then(proxy);
      });
      opening.add(made);
      void made.finally(() => opening.delete(made));
    },
    portTo: (to) => proxies.get(to)?.port,
    changed() {
      for (const [to, proxy] of opened()) apply(to, proxy);
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await Promise.all(opening);
      await Promise.all(opened().map(([, proxy]) => proxy[Symbol.asyncDispose]()));
    },
  };
}
