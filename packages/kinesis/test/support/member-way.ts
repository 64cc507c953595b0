import { Agent, type ClientRequestArgs } from 'node:http';
import { connect, type NetConnectOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** One member's own connections to a server, which can be cut. No proxy: a hundred members of one process would starve behind one. */
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

  /** Resets every connection, and every new one at once, until disposed. */
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

/** One that connects still would only be reset once it has, and has sent what waits for that. */
function sever(socket: Socket): void {
  if (socket.connecting) socket.destroy(new Error('cut off'));
  else socket.resetAndDestroy();
}

/** Fails once whoever asked for it listens. It never connects: a connection that is only reset takes a request along first. */
function nowhere(): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(new Error('cut off')));
  return socket;
}
