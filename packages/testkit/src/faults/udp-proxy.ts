// The UDP proxy with which tests lose, delay and repeat the datagrams of members.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type ActiveFaults, activeFaults, type Direction } from './active-faults.ts';

/** How a network treats single datagrams. */
export interface UdpNoise {
  /** The share of datagrams that are lost, from 0 to 1. Default 0. */
  readonly lose?: number;
  /** The share of datagrams that arrive twice, from 0 to 1. Default 0. */
  readonly repeat?: number;
  /**
   * The least and the greatest delay of a datagram. Each has a random one of its own, so a later
   * datagram may arrive before an earlier one. Milliseconds. Default 0 and 0.
   */
  readonly delayMs?: readonly [least: number, greatest: number];
}

/**
 * A proxy for datagrams with fault injection. Several faults may be in effect at a time; disposing
 * the result of a method ends that one. Disposal of the proxy closes its sockets.
 */
export interface UdpProxy extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
  /** What has passed through the proxy so far, in both directions. */
  readonly counters: {
    /** The number of datagrams that were forwarded, repeated ones included. */
    readonly forwarded: number;
    /** The number of datagrams that faults discarded. */
    readonly dropped: number;
    /** The number of datagrams that were sent twice. */
    readonly repeated: number;
    /** The number of datagrams that were held at any time. */
    readonly held: number;
  };
  /** Discards all datagrams. */
  cut(): Disposable;
  /** Discards the datagrams of one direction and forwards the other. */
  cutOneWay(direction: 'to-server' | 'to-client'): Disposable;
  /** Keeps all further datagrams, of one direction or of both, and sends them in the end. */
  hold(direction?: 'to-server' | 'to-client'): Disposable;
  /** Loses, repeats and delays further datagrams at random. */
  disturb(noise: UdpNoise): Disposable;
  /** Ends all faults, and sends what was held. */
  mend(): void;
}

/** Where a proxy forwards datagrams, and where it listens. */
export interface UdpProxyOptions {
  /** The port of the server. It is read for each datagram, so it may change. */
  readonly port: number;
  /** The port on which the proxy listens. Default: any free one. */
  readonly at?: number;
  /** What the network does all the time. Default: it delivers each datagram once. */
  readonly noise?: UdpNoise;
  /** Returns numbers from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** A fault in effect. */
interface Fault {
  readonly discards?: readonly Direction[];
  readonly holds?: readonly Direction[];
  readonly noise?: UdpNoise;
}

interface HeldDatagram {
  readonly direction: Direction;
  readonly forward: () => void;
}

const both: readonly Direction[] = ['to-server', 'to-client'];

/**
 * Opens a proxy for datagrams to a port of 127.0.0.1. Replies of the server return to the client.
 * @throws Error if `at` is in use
 */
export async function udpProxy(target: UdpProxyOptions): Promise<UdpProxy> {
  const listener = await bound(target.at ?? 0);
  const clients = new Map<string, Socket>();
  const { counters, faults, pass, close } = passage(target);
  listener.on('message', (bytes, from) => {
    const server = clients.get(keyOf(from)) ?? socketFor(from);
    pass('to-server', () => server.send(bytes, target.port, '127.0.0.1', ignore));
  });
  /** The socket to which the server replies: what arrives there is for this client. */
  const socketFor = (client: RemoteInfo): Socket => {
    const socket = createSocket('udp4');
    clients.set(keyOf(client), socket);
    socket.on('error', ignore).on('message', (bytes) => {
      pass('to-client', () => listener.send(bytes, client.port, client.address, ignore));
    });
    return socket;
  };
  return {
    port: listener.address().port,
    counters,
    cut: () => faults.begin({ discards: both }),
    cutOneWay: (direction) => faults.begin({ discards: [direction] }),
    hold: (direction) => faults.begin({ holds: direction ? [direction] : both }),
    disturb: (noise) => faults.begin({ noise }),
    mend: () => faults.clear(),
    async [Symbol.asyncDispose]() {
      if (close()) await Promise.all([listener, ...clients.values()].map(closed));
    },
  };
}

interface Network {
  readonly counters: UdpProxy['counters'];
  readonly faults: ActiveFaults<Fault>;
  /** Applies the faults to one datagram. */
  readonly pass: (direction: Direction, forward: () => void) => void;
  /** Forwards nothing any more. Returns whether it was open. */
  readonly close: () => boolean;
}

function passage({ noise, random = Math.random }: UdpProxyOptions): Network {
  const counters = { forwarded: 0, dropped: 0, repeated: 0, held: 0 };
  const held = new Set<HeldDatagram>();
  let isClosed = false;
  const send = (forward: () => void): void => {
    if (isClosed) return;
    counters.forwarded += 1;
    forward();
  };
  const isHeld = (direction: Direction): boolean =>
    faults.some(({ holds = [] }) => holds.includes(direction));
  const faults = activeFaults<Fault>(() => {
    for (const datagram of held) {
      if (isHeld(datagram.direction)) continue;
      held.delete(datagram);
      send(datagram.forward);
    }
  });
  const isLost = (direction: Direction, lose: number): boolean =>
    faults.some(({ discards = [] }) => discards.includes(direction)) || random() < lose;
  const sendLate = (forward: () => void, [least, greatest]: readonly [number, number]): void => {
    const delayMs = least + random() * (greatest - least);
    if (delayMs > 0) setTimeout(send, delayMs, forward);
    else send(forward);
  };
  return {
    counters,
    faults,
    pass(direction, forward) {
      const { lose, repeat, delayMs } = loudest([
        noise,
        ...[...faults.all].map((one) => one.noise),
      ]);
      if (isLost(direction, lose)) {
        counters.dropped += 1;
      } else if (isHeld(direction)) {
        counters.held += 1;
        held.add({ direction, forward });
      } else {
        sendLate(forward, delayMs);
        if (random() >= repeat) return;
        counters.repeated += 1;
        sendLate(forward, delayMs);
      }
    },
    close() {
      const wasOpen = !isClosed;
      isClosed = true;
      return wasOpen;
    },
  };
}

/** Returns the greatest of each property. */
function loudest(noises: readonly (UdpNoise | undefined)[]): Required<UdpNoise> {
  const greatest = (property: (noise: UdpNoise) => number | undefined): number =>
    Math.max(0, ...noises.map((noise) => (noise && property(noise)) ?? 0));
  return {
    lose: greatest(({ lose }) => lose),
    repeat: greatest(({ repeat }) => repeat),
    delayMs: [greatest(({ delayMs }) => delayMs?.[0]), greatest(({ delayMs }) => delayMs?.[1])],
  };
}

function keyOf({ address, port }: RemoteInfo): string {
  return `${address}:${port}`;
}

/** A datagram that cannot be sent is lost, as on any network. */
function ignore(): void {
  // Nothing to do.
}

async function bound(port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  await once(socket, 'listening');
  return socket.on('error', ignore);
}

function closed(socket: Socket): Promise<void> {
  return new Promise((done) => socket.close(done));
}
