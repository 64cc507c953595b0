// The server that accepts connections of the other members. It listens as soon as its address is
// free.
import { createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import type { LeadershipError } from '@leadership/core';
import type { Clock } from '@leadership/core/adapter';
import { after, type Notifier, notifier } from '@leadership/core/internal/engine';
import { ConnectionLimits, type InboundSocket, networkOf } from '@leadership/peer';
import { refusalOf } from '../frames/frame.ts';
import type { Drop } from '../transport.ts';
import type { TcpAddress } from './address.ts';
import { listenError } from './errors.ts';
import { type NerioTls, secureContextOf } from './tls.ts';

/** The parts of a server, and its callbacks. */
export interface TcpServerParts {
  readonly at: { readonly host?: string; readonly port: number };
  /** The certificates in use at the moment. */
  readonly tls: () => NerioTls | undefined;
  readonly clock: Clock;
  /** How long the TLS handshake may take. Milliseconds. */
  readonly connectMs: number;
  readonly listening: (at: TcpAddress) => void;
  readonly failed: (error: LeadershipError) => void;
  /** A connection was accepted. It counts as unauthenticated until `settled()` or its end. */
  readonly accepted: (socket: Socket, settled: () => void) => void;
  readonly dropped: (what: Drop) => void;
}

/** How many connections an address may open in a second: members keep theirs. */
const perSecond = 16;
/** The pause before it tries to listen again. Milliseconds. */
const retryMs = 250;

/** Accepts connections until it is closed. */
export class TcpServer {
  readonly #parts: TcpServerParts;
  readonly #limits: ConnectionLimits;
  /** The connections that have not authenticated, by remote address and port. */
  readonly #unauthenticated = new Map<string, InboundSocket>();
  readonly #retry: Notifier;
  readonly #ended: Promise<void>;
  #server: Server | undefined;
  #isClosed = false;

  constructor(parts: TcpServerParts) {
    this.#parts = parts;
    this.#limits = new ConnectionLimits(parts.clock, perSecond);
    this.#retry = notifier(parts.clock);
    this.#ended = this.#listen();
  }

  /**
   * Uses the new certificates from now on. Ends unauthenticated connections, so that they connect
   * again with these certificates.
   */
  renew(): void {
    const tls = this.#parts.tls();
    if (this.#server === undefined || tls === undefined) return;
    (this.#server as TlsServer).setSecureContext(secureContextOf(tls));
    this.#endUnauthenticated();
  }

  /** Stops listening and ends unauthenticated connections. Resolves once no connection is left. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#endUnauthenticated();
    this.#server?.close();
    this.#retry.notify();
    return this.#ended;
  }

  #endUnauthenticated(): void {
    for (const { end } of this.#unauthenticated.values()) end();
  }

  async #listen(): Promise<void> {
    const { clock, failed } = this.#parts;
    // Call no callback during the constructor.
    await Promise.resolve();
    while (!this.#isClosed) {
      const error = await this.#serve();
      if (this.#isClosed) return;
      failed(listenError(error ?? new Error('the server stopped listening')));
      await this.#retry.until(after(clock.now(), retryMs));
    }
  }

  /** Listens until an error or `close`. */
  #serve(): Promise<Error | undefined> {
    const { at, listening } = this.#parts;
    const server = this.#makeServer();
    this.#server = server;
    return new Promise((resolve) => {
      let failure: Error | undefined;
      server.on('error', (error) => {
        failure = error;
        if (server.listening) server.close();
        else resolve(error);
      });
      server.on('close', () => resolve(failure));
      server.on('listening', () => {
        const address = server.address();
        if (typeof address === 'object' && address !== null)
          listening({ host: address.address, port: address.port });
      });
      server.listen({ port: at.port, ...(at.host !== undefined && { host: at.host }) });
    });
  }

  #makeServer(): Server {
    const { connectMs } = this.#parts;
    const tls = this.#parts.tls();
    if (tls === undefined) {
      return createServer((socket) => {
        const settled = this.#admit(socket);
        if (settled !== undefined) this.#parts.accepted(socket, settled);
      });
    }
    // This server checks the certificate itself, so that it can send the reason of a refusal.
    const isMutual = tls.mutual ?? true;
    const options = {
      ...secureContextOf(tls),
      requestCert: isMutual,
      rejectUnauthorized: false,
      handshakeTimeout: connectMs,
    };
    const server = createTlsServer(options, (socket) => this.#secured(socket, isMutual));
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.on('tlsClientError', (error, socket) => {
      const { code } = error as NodeJS.ErrnoException;
      // A client that resets the connection has sent nothing that could be dropped.
      if (code !== 'ECONNRESET')
        this.#parts.dropped(code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'flood' : 'forged');
      socket.destroy();
    });
    return server;
  }

  #secured(socket: TLSSocket, isMutual: boolean): void {
    const inbound = this.#unauthenticated.get(remoteOf(socket));
    this.#unauthenticated.delete(remoteOf(socket));
    if (inbound === undefined) return void socket.destroy();
    if (!isMutual || socket.authorized)
      return this.#parts.accepted(socket, () => this.#limits.settled(inbound));
    this.#parts.dropped('forged');
    socket.on('error', () => undefined);
    socket.write(refusalOf('forged') ?? '');
    socket.destroySoon();
  }

  /** Admits the connection within the limits. Returns `undefined` if it was refused. */
  #admit(socket: Socket): (() => void) | undefined {
    const remote = remoteOf(socket);
    const end = (): void => {
      this.#parts.dropped('flood');
      socket.destroy();
    };
    const inbound: InboundSocket = { address: networkOf(socket.remoteAddress ?? ''), end };
    const settled = (): void => {
      this.#unauthenticated.delete(remote);
      this.#limits.settled(inbound);
    };
    socket.on('error', () => undefined).on('close', settled);
    if (!this.#isClosed && this.#limits.admit(inbound)) {
      this.#unauthenticated.set(remote, inbound);
      return settled;
    }
    end();
    return undefined;
  }
}

/** The remote address and port, which no two connections to one server share. */
function remoteOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
