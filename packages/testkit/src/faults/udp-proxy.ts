import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Direction } from './proxied-connection.ts';

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

/** A proxy for datagrams with fault injection. Disposal closes its sockets. */
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
  cut(): void;
  /** Discards the datagrams of one direction and forwards the other. */
  cutOneWay(direction: 'to-server' | 'to-client'): void;
  /** Keeps all further datagrams. `mend` sends them. */
  hold(): void;
  /** Loses, repeats and delays further datagrams at random. */
  disturb(noise: UdpNoise): void;
  /** Removes all faults and sends what was held. */
  mend(): void;
}

interface State {
  fault: 'none' | 'cut' | 'hold' | Direction;
  noise: UdpNoise;
  isClosed: boolean;
}

/** Where a proxy forwards datagrams, and where it listens. */
export interface UdpProxyOptions {
  /** The port of the server. It is read for each datagram, so it may change. */
  readonly port: number;
  /** The port on which the proxy listens. Default: any free one. */
  readonly at?: number;
  /** Returns numbers from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Opens a proxy for datagrams to a port of 127.0.0.1. Replies of the server return to the client.
 * @throws Error if `at` is in use
 */
export async function udpProxy(target: UdpProxyOptions): Promise<UdpProxy> {
  const { random = Math.random } = target;
  const counters = { forwarded: 0, dropped: 0, repeated: 0, held: 0 };
  const state: State = { fault: 'none', noise: {}, isClosed: false };
  const held: (() => void)[] = [];
  const listener = await bound(target.at ?? 0);
  const clients = new Map<string, Socket>();
  const pass = passage({ state, counters, held, random });
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
    cut() {
      state.fault = 'cut';
    },
    cutOneWay(direction) {
      state.fault = direction;
    },
    hold() {
      state.fault = 'hold';
    },
    disturb(noise) {
      state.noise = noise;
    },
    mend() {
      state.fault = 'none';
      state.noise = {};
      for (const send of held.splice(0)) send();
    },
    async [Symbol.asyncDispose]() {
      if (state.isClosed) return;
      state.isClosed = true;
      await Promise.all([listener, ...clients.values()].map(closed));
    },
  };
}

interface PassageParts {
  readonly state: State;
  readonly counters: { -readonly [name in keyof UdpProxy['counters']]: number };
  readonly held: (() => void)[];
  readonly random: () => number;
}

/** Returns the function that applies the faults to one datagram. */
function passage({ state, counters, held, random }: PassageParts) {
  const send = (forward: () => void): void => {
    if (state.isClosed) return;
    counters.forwarded += 1;
    forward();
  };
  const sendLate = (forward: () => void): void => {
    const [least, greatest] = state.noise.delayMs ?? [0, 0];
    const delayMs = least + random() * (greatest - least);
    if (delayMs > 0) setTimeout(send, delayMs, forward);
    else send(forward);
  };
  const isLost = (direction: Direction): boolean =>
    state.fault === 'cut' || state.fault === direction || random() < (state.noise.lose ?? 0);
  return (direction: Direction, forward: () => void): void => {
    if (isLost(direction)) {
      counters.dropped += 1;
      return;
    }
    if (state.fault === 'hold') {
      counters.held += 1;
      held.push(() => send(forward));
      return;
    }
    sendLate(forward);
    if (random() >= (state.noise.repeat ?? 0)) return;
    counters.repeated += 1;
    sendLate(forward);
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
