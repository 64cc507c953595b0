// The TCP proxy with which tests cut, delay and stop the connections of members.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type ActiveFaults, activeFaults, type Direction } from './active-faults.ts';
import { type Passage, type ProxiedConnection, proxiedConnection } from './proxied-connection.ts';

/**
 * A TCP proxy with fault injection. Several faults may be in effect at a time; disposing the result
 * of a method ends that one. No stream continues after it has lost bytes: when the loss ends, the
 * connection is reset. Disposal of the proxy ends every connection and frees the port.
 */
export interface TcpProxy extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
  /** What has passed through the proxy so far. */
  readonly counters: {
    /** The number of accepted connections. */
    readonly accepted: number;
    /** The number of connections that faults refused. */
    readonly refused: number;
    /** The bytes forwarded to the server. */
    readonly bytesToServer: number;
    /** The bytes forwarded to clients. */
    readonly bytesToClient: number;
    /** The bytes that faults discarded, in both directions. */
    readonly bytesDiscarded: number;
  };
  /** The number of open connections. */
  readonly connections: number;
  /** Resets every connection, and serves new ones. */
  reset(): void;
  /** Resets every new connection at once. The open ones continue. */
  refuse(): Disposable;
  /** Resets every connection, and every new one at once. */
  cut(): Disposable;
  /**
   * Accepts connections and discards all bytes in both directions, like a network that is
   * partitioned for longer than the hosts repeat their packets.
   */
  halfOpen(): Disposable;
  /**
   * Discards all further bytes of the connections that are open now, in both directions and without
   * an end, and serves new ones: like a firewall that has forgotten its idle connections.
   */
  silence(): Disposable;
  /** Discards bytes in one direction and forwards the other. */
  cutOneWay(direction: 'to-server' | 'to-client'): Disposable;
  /**
   * Keeps all bytes, of one direction or of both, and forwards them in the end: like a partition
   * that is shorter than the time for which the hosts repeat their packets.
   */
  hold(direction?: 'to-server' | 'to-client'): Disposable;
  /** Delays all further bytes by this time, in milliseconds. Of several delays the longest counts. */
  delay(ms: number): Disposable;
  /** Limits the bytes per second in each direction of a connection. */
  throttle(bytesPerSecond: number): Disposable;
  /** Ends all faults. */
  mend(): void;
}

/** A fault in effect. */
interface Fault {
  readonly refuses?: true;
  /** The directions in which it discards bytes. */
  readonly discards?: readonly Direction[];
  /** The connections of which it discards bytes. Default: all, and those opened later. */
  readonly of?: ReadonlySet<ProxiedConnection>;
  readonly holds?: readonly Direction[];
  readonly delayMs?: number;
  readonly bytesPerSecond?: number;
}

type Counters = { -readonly [name in keyof TcpProxy['counters']]: number };

const both: readonly Direction[] = ['to-server', 'to-client'];

/** Opens a proxy on a free port. */
export async function tcpProxy(target: {
  /** The port of the server. It is read for each connection, so it may change. */
  readonly port: number;
  /** Default: `127.0.0.1`. */
  readonly host?: string;
}): Promise<TcpProxy> {
  const counters: Counters = {
    accepted: 0,
    refused: 0,
    bytesToServer: 0,
    bytesToClient: 0,
    bytesDiscarded: 0,
  };
  const connections = new Set<ProxiedConnection>();
  const faults = activeFaults<Fault>(() => {
    for (const connection of connections) connection.update();
  });
  const accept = (client: Socket): void => {
    if (faults.some(({ refuses }) => refuses === true)) {
      counters.refused += 1;
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    counters.accepted += 1;
    // A network that discards everything lets no connection reach the server.
    const isReached = both.some((direction) => !discards(faults, direction));
    const server = isReached
      ? connect({ host: '127.0.0.1', ...target, allowHalfOpen: true })
      : undefined;
    const connection: ProxiedConnection = proxiedConnection(client, server, (direction) =>
      passageOf({ faults, direction, counters, connection: () => connection }),
    );
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
  };
  const reset = (): void => {
    for (const connection of connections) connection[Symbol.dispose]();
  };
  const listener = await listen(accept);
  return {
    port: (listener.address() as AddressInfo).port,
    counters,
    get connections() {
      return connections.size;
    },
    reset,
    ...commands(faults, reset),
    silence: () => faults.begin({ discards: both, of: new Set(connections) }),
    async [Symbol.asyncDispose]() {
      reset();
      if (listener.listening) await closed(listener);
    },
  };
}

type Commands = Omit<
  TcpProxy,
  'port' | 'counters' | 'connections' | 'reset' | 'silence' | typeof Symbol.asyncDispose
>;

function commands(faults: ActiveFaults<Fault>, reset: () => void): Commands {
  return {
    refuse: () => faults.begin({ refuses: true }),
    cut() {
      reset();
      return faults.begin({ refuses: true });
    },
    halfOpen: () => faults.begin({ discards: both }),
    cutOneWay: (direction) => faults.begin({ discards: [direction] }),
    hold: (direction) => faults.begin({ holds: direction ? [direction] : both }),
    delay: (delayMs) => faults.begin({ delayMs }),
    throttle: (bytesPerSecond) => faults.begin({ bytesPerSecond }),
    mend: () => faults.clear(),
  };
}

/** Returns whether bytes are lost: those of this connection, or of one that is opened now. */
function discards(
  faults: ActiveFaults<Fault>,
  direction: Direction,
  connection?: ProxiedConnection,
): boolean {
  return faults.some(
    ({ discards: lost = [], of }) =>
      lost.includes(direction) &&
      (of === undefined || (connection !== undefined && of.has(connection))),
  );
}

interface PassageParts {
  readonly faults: ActiveFaults<Fault>;
  readonly direction: Direction;
  readonly counters: Counters;
  readonly connection: () => ProxiedConnection;
}

function passageOf({ faults, direction, counters, connection }: PassageParts): Passage {
  return {
    get discards() {
      return discards(faults, direction, connection());
    },
    get holds() {
      return faults.some(({ holds = [] }) => holds.includes(direction));
    },
    get delayMs() {
      return Math.max(0, ...[...faults.all].map(({ delayMs = 0 }) => delayMs));
    },
    get bytesPerSecond() {
      const none = Number.POSITIVE_INFINITY;
      return Math.min(...[...faults.all].map(({ bytesPerSecond = none }) => bytesPerSecond));
    },
    passed(bytes) {
      counters[direction === 'to-server' ? 'bytesToServer' : 'bytesToClient'] += bytes;
    },
    discarded(bytes) {
      counters.bytesDiscarded += bytes;
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
