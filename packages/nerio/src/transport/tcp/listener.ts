// Where the others call: a server that is there as soon as its address is free.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { LeadershipError } from '@leadership/core';
import { after, type Clock } from '@leadership/core/backend';
import { type Bell, bell } from '@leadership/core/ledger';
import { refusalOf } from '../frames/frame.ts';
import type { Drop } from '../transport.ts';
import type { TcpAddress } from './address.ts';
import { Admissions, type Guest } from './admissions.ts';
import { listenError } from './errors.ts';
import { neighbourhoodOf } from './neighbourhood.ts';
import { type NerioTls, secureContextOf } from './tls.ts';

/** What a listener is made of, and whom it tells. */
export interface ListenerParts {
  readonly at: { readonly host?: string; readonly port: number };
  /** What it shows, and asks for, at the moment. */
  readonly tls: () => NerioTls | undefined;
  readonly clock: Clock;
  /** How long a connection may take to become secure. Milliseconds. */
  readonly connectMs: number;
  readonly listening: (at: TcpAddress) => void;
  readonly failed: (error: LeadershipError) => void;
  /** Somebody has called. It costs a place until it is `settled`, or gone. */
  readonly called: (socket: Socket, settled: () => void) => void;
  readonly dropped: (what: Drop) => void;
}

/** How long is waited for the address to be free. Milliseconds. */
const retryMs = 250;

/** Takes calls until it is closed. */
export class Listener {
  readonly #parts: ListenerParts;
  readonly #admissions: Admissions;
  /** Those who have not been answered, by where they call from. */
  readonly #waiting = new Map<string, Guest>();
  readonly #bell: Bell;
  readonly #ended: Promise<void>;
  #server: Server | undefined;
  #isClosed = false;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#admissions = new Admissions(parts.clock);
    this.#bell = bell(parts.clock);
    this.#ended = this.#listen();
  }

  /** The certificates are others from now on, also for those who have not been answered: they have to call again. */
  renew(): void {
    const tls = this.#parts.tls();
    if (this.#server === undefined || tls === undefined) return;
    (this.#server as TlsServer).setSecureContext(secureContextOf(tls));
    this.#sendAllAway();
  }

  /** Takes no more calls, and ends those that have not been answered. Resolves once no connection is left. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#sendAllAway();
    this.#server?.close();
    this.#bell.ring();
    return this.#ended;
  }

  #sendAllAway(): void {
    for (const { sendAway } of this.#waiting.values()) sendAway();
  }

  async #listen(): Promise<void> {
    const { clock, failed } = this.#parts;
    // Not within the call that made this listener.
    await Promise.resolve();
    while (!this.#isClosed) {
      const error = await this.#serve();
      if (this.#isClosed) return;
      failed(listenError(error ?? new Error('it has stopped listening')));
      await this.#bell.until(after(clock.now(), retryMs));
    }
  }

  /** Listens until it cannot, or need not any more. */
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
        if (typeof address === 'object' && address !== null) listening({ host: address.address, port: address.port });
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
        if (settled !== undefined) this.#parts.called(socket, settled);
      });
    }
    // Whom to trust is judged here, so that whoever is not can be told.
    const isMutual = tls.mutual ?? true;
    const options = { ...secureContextOf(tls), requestCert: isMutual, rejectUnauthorized: false, handshakeTimeout: connectMs };
    const server = createTlsServer(options, (socket) => this.#secured(socket, isMutual));
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.on('tlsClientError', (error, socket) => {
      const { code } = error as NodeJS.ErrnoException;
      // Whoever hangs up has said nothing that could be dropped.
      if (code !== 'ECONNRESET') this.#parts.dropped(code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'flood' : 'forged');
      socket.destroy();
    });
    return server;
  }

  #secured(socket: TLSSocket, isMutual: boolean): void {
    const guest = this.#waiting.get(placeOf(socket));
    this.#waiting.delete(placeOf(socket));
    if (guest === undefined) return void socket.destroy();
    if (!isMutual || socket.authorized) return this.#parts.called(socket, () => this.#admissions.settled(guest));
    this.#parts.dropped('forged');
    socket.on('error', () => undefined);
    socket.write(refusalOf('forged') ?? '');
    socket.destroySoon();
  }

  /** Gives it a place; `undefined` where there is none. */
  #admit(socket: Socket): (() => void) | undefined {
    const place = placeOf(socket);
    const sendAway = (): void => {
      this.#parts.dropped('flood');
      socket.destroy();
    };
    const guest: Guest = { address: neighbourhoodOf(socket.remoteAddress ?? ''), sendAway };
    const settled = (): void => {
      this.#waiting.delete(place);
      this.#admissions.settled(guest);
    };
    socket.on('error', () => undefined).on('close', settled);
    if (!this.#isClosed && this.#admissions.admit(guest)) {
      this.#waiting.set(place, guest);
      return settled;
    }
    sendAway();
    return undefined;
  }
}

/** No two connections to one server are from the same. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
