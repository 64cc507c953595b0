// The proxy in front of one member of a gossip group in a test.
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts';
import { type UdpNoise, type UdpProxy, udpProxy } from './udp-proxy.ts';

/**
 * The two proxies to a member that receives datagrams and connections on one port. Each method
 * injects a fault into both. Disposing its result ends that fault.
 */
export interface GossipProxy extends AsyncDisposable {
  readonly port: number;
  readonly udp: UdpProxy;
  readonly tcp: TcpProxy;
  /** Discards all messages. */
  cut(): Disposable;
  /** Keeps the datagrams until it is mended, and discards what connections send. */
  halfOpen(): Disposable;
  /** Discards what is sent to the member, and forwards the other direction. */
  cutOneWay(direction: 'to-server'): Disposable;
  /** Delays all messages: datagrams by up to this time, so that they change their order. Milliseconds. */
  delay(ms: number): Disposable;
  /** Loses, repeats and delays datagrams like this. Connections work as before. */
  disturb(noise: UdpNoise): Disposable;
  /** Removes the faults, apart from what the network does all the time. */
  mend(): void;
}

/** A network on which no message can be relied on. */
const noise = { lose: 0.05, repeat: 0.05 } as const;

/** How often to look for a port that is free for both. */
const attemptsMax = 20;

/** Opens both proxies to the member that listens on that port. It is read for each message. */
export async function gossipProxy(target: { readonly port: number }): Promise<GossipProxy> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = await tcpProxy(target);
    try {
      return joined(await udpProxy(udpTarget(target, tcp.port)), tcp);
    } catch (error) {
      await tcp[Symbol.asyncDispose]();
      if (attempt === attemptsMax) throw error;
    }
  }
}

function udpTarget(target: { readonly port: number }, at: number) {
  return {
    at,
    noise,
    get port() {
      return target.port;
    },
  };
}

function joined(udp: UdpProxy, tcp: TcpProxy): GossipProxy {
  return {
    port: udp.port,
    udp,
    tcp,
    cut: () => both(udp.cut(), tcp.cut()),
    halfOpen: () => both(udp.hold(), tcp.halfOpen()),
    cutOneWay: (direction) => both(udp.cutOneWay(direction), tcp.cutOneWay(direction)),
    delay: (ms) => both(udp.disturb({ delayMs: [0, ms] }), tcp.delay(ms)),
    disturb: (more) => udp.disturb(more),
    mend() {
      udp.mend();
      tcp.mend();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([udp[Symbol.asyncDispose](), tcp[Symbol.asyncDispose]()]);
    },
  };
}

function both(...faults: readonly Disposable[]): Disposable {
  return {
    [Symbol.dispose]() {
      for (const fault of faults) fault[Symbol.dispose]();
    },
  };
}
