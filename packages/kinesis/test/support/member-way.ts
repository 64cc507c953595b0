import { Agent, type ClientRequestArgs } from 'node:http';
import { connect, type NetConnectOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * An HTTP agent with one member's own connections, which can be cut. A proxy would be too slow for
 * a hundred members in one process.
 */
export class MemberWay extends Agent {
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  constructor() {
    super({ keepAlive: true });
  }

  override createConnection(options: ClientRequestArgs): Duplex {
    if (this.#isCut) return nowhere();
    const socket = connect(options as NetConnectOpts);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** Resets all connections, and fails new ones at once, until disposed. */
  cut(): Disposable {
    this.#isCut = true;
    for (const socket of this.#sockets) sever(socket);
    return {
      [Symbol.dispose]: () => {
        this.#isCut = false;
      },
    };
  }
}

/**
 * Destroys a connection. Only an open one can be reset: a connecting one would first connect and
 * send.
 */
function sever(socket: Socket): void {
  if (socket.connecting) socket.destroy(new Error('cut off'));
  else socket.resetAndDestroy();
}

/**
 * Returns a socket that fails after the caller has added its listeners. It never connects: a
 * connection that is reset afterwards may already have sent a request.
 */
function nowhere(): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(new Error('cut off')));
  return socket;
}
