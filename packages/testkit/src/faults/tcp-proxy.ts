import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import {
  type Direction,
  type Passage,
  type ProxiedConnection,
  proxiedConnection,
} from './proxied-connection.ts';

/** A TCP proxy with fault injection. Disposal ends every connection and frees the port. */
export interface TcpProxy extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
  /** What has passed through the proxy so far. */
  readonly counters: {
    /** The number of accepted connections. */
    readonly accepted: number;
    /** The number of connections refused while the proxy was cut. */
    readonly refused: number;
    /** The bytes forwarded to the server. */
    readonly bytesToServer: number;
    /** The bytes forwarded to clients. */
    readonly bytesToClient: number;
    /** The bytes that faults discarded, in both directions. */
    readonly bytesSwallowed: number;
  };
  /** The number of open connections. */
  readonly connections: number;
  /** Resets every connection, and every new one at once. */
  cut(): void;
  /**
   * Accepts connections and discards all bytes in both directions, like a partition of the network.
   */
  halfOpen(): void;
  /**
   * Discards all further bytes of the connections that are open now, in both directions and without
   * an end, and serves new ones: like a firewall that has forgotten its idle connections.
   */
  silence(): void;
  /** Discards bytes in one direction and forwards the other. */
  cutOneWay(direction: 'to-server' | 'to-client'): void;
  /** Delays all further bytes by this time, in milliseconds. */
  delay(ms: number): void;
  /**
   * Removes all faults and delays. Resets the connections that lost bytes, because their streams
   * are incomplete.
   */
  mend(): void;
}

type Fault = 'none' | 'cut' | 'half-open' | Direction;

/** Opens a proxy on a free port. */
export async function tcpProxy(target: {
  /** The port of the server. */
  readonly port: number;
  /** Default: `127.0.0.1`. */
  readonly host?: string;
}): Promise<TcpProxy> {
  const counters = {
    accepted: 0,
    refused: 0,
    bytesToServer: 0,
    bytesToClient: 0,
    bytesSwallowed: 0,
  };
  const connections = new Set<ProxiedConnection>();
  const state: { fault: Fault; delayMs: number } = { fault: 'none', delayMs: 0 };
  const passage = passageOf(state, counters);
  const reset = (which: (connection: ProxiedConnection) => boolean): void => {
    for (const connection of connections) if (which(connection)) connection[Symbol.dispose]();
  };
  const accept = (client: Socket): void => {
    if (state.fault === 'cut') {
      counters.refused += 1;
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    counters.accepted += 1;
    const server =
      state.fault === 'half-open'
        ? undefined
        : connect({ host: '127.0.0.1', ...target, allowHalfOpen: true });
    const connection = proxiedConnection(client, server, passage);
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
  };
  const listener = await listen(accept);
  return {
    port: (listener.address() as AddressInfo).port,
    counters,
    get connections() {
      return connections.size;
    },
    ...commands(state, reset),
    silence() {
      for (const connection of connections) connection.silence();
    },
    async [Symbol.asyncDispose]() {
      reset(() => true);
      if (listener.listening) await closed(listener);
    },
  };
}

type Commands = Pick<TcpProxy, 'cut' | 'halfOpen' | 'cutOneWay' | 'delay' | 'mend'>;

function commands(
  state: { fault: Fault; delayMs: number },
  reset: (which: (connection: ProxiedConnection) => boolean) => void,
): Commands {
  return {
    cut() {
      state.fault = 'cut';
      reset(() => true);
    },
    halfOpen() {
      state.fault = 'half-open';
    },
    cutOneWay(direction) {
      state.fault = direction;
    },
    delay(ms) {
      state.delayMs = ms;
    },
    mend() {
      state.fault = 'none';
      state.delayMs = 0;
      reset(({ isTorn }) => isTorn);
    },
  };
}

function passageOf(
  state: { readonly fault: Fault; readonly delayMs: number },
  counters: { -readonly [name in keyof TcpProxy['counters']]: number },
): Passage {
  return {
    swallows: (direction) => state.fault === 'half-open' || state.fault === direction,
    get delayMs() {
      return state.delayMs;
    },
    passed(direction, bytes) {
      if (direction === 'to-server') counters.bytesToServer += bytes;
      else counters.bytesToClient += bytes;
    },
    swallowed(bytes) {
      counters.bytesSwallowed += bytes;
    },
  };
}

async function listen(accept: (client: Socket) => void): Promise<Server> {
  const listener = createServer({ allowHalfOpen: true }, accept);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return listener;
}

function closed(listener: Server): Promise<void> {
  return new Promise((resolve) => listener.close(() => resolve()));
}
