// Sends messages that do not fit into a datagram, each over a TCP connection of its own: one frame.
// The receiver confirms an authentic one with a byte, because a proxy between the two may accept
// connections that it cannot pass on. Nothing else is ever sent back.
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '@leadership/core/adapter';
import { ConnectionLimits, type InboundSocket, networkOf } from '@leadership/peer';

/** The parts of the streams. */
export interface StreamsParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly frameBytesMax: number;
  /** Processes a frame that has arrived. Returns whether it was authentic and was taken. */
  readonly arrived: (bytes: Buffer) => boolean;
  /** A connection was refused, or ended before a frame was complete. */
  readonly dropped: (why: 'malformed' | 'flood' | 'incomplete') => void;
  /** A message was not sent, because too many to that member are on their way. */
  readonly unsent: () => void;
  /** The server has failed. */
  readonly failed: (error: Error) => void;
}

/** How many connections an address may open in a second: each serves one message. */
const perSecond = 256;
/** How long a frame may take to arrive, its connection included. Milliseconds. */
export const frameMs = 5000;
/**
 * The most connections to one member at a time. What waits behind them is old when it arrives, so of
 * further messages only the newest one waits.
 */
const perMemberMax = 2;
const lengthBytes = 4;
/** The only answer to a frame: it was taken. */
const confirmation: Buffer = Buffer.of(1);

/** A frame to send, and what receives the result. */
interface Outgoing {
  readonly at: { readonly host: string; readonly port: number };
  readonly frame: Uint8Array;
  readonly settled: (error: Error | undefined) => void;
}

/** The connections in both directions. */
export class Streams {
  readonly #parts: StreamsParts;
  readonly #limits: ConnectionLimits;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** By member: the number of connections to it. */
  readonly #outbound = new Map<string, number>();
  /** By member: the newest frame that waits for a connection to end. */
  readonly #waiting = new Map<string, Outgoing>();
  #isClosed = false;

  constructor(parts: StreamsParts) {
    this.#parts = parts;
    this.#limits = new ConnectionLimits(parts.clock, perSecond);
    this.#server = createServer((socket) => this.#admit(socket));
  }

  /** Resolves once it listens. */
  listen(at: { readonly host?: string; readonly port: number }): Promise<void> {
    const { failed } = this.#parts;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(at, () => {
        this.#server.off('error', reject).on('error', failed);
        resolve();
      });
    });
  }

  /**
   * Sends a frame. If too many to this member are on their way, it waits, unless a newer one follows.
   * Reports why it did not arrive, or `undefined` once the other side has confirmed it. The
   * confirmation is not signed: it shows that the way is open, and the protocol does not rely on it.
   */
  send(to: string, at: Outgoing['at'], frame: Uint8Array, settled: Outgoing['settled']): void {
    const count = this.#outbound.get(to) ?? 0;
    if (count >= perMemberMax) {
      if (this.#waiting.has(to)) this.#parts.unsent();
      this.#waiting.set(to, { at, frame, settled });
      return;
    }
    this.#outbound.set(to, count + 1);
    const socket = connect(at);
    const late = new Error(`it has taken no message within ${frameMs / 1000} s`);
    this.#keep(socket, () => this.#ended(to), late);
    let isSettled = false;
    const settle = (cause: Error | undefined): void => {
      if (isSettled) return;
      isSettled = true;
      settled(cause && new Error(`TCP port ${at.port} of ${at.host}: ${cause.message}`, { cause }));
    };
    socket.on('error', settle);
    socket.on('data', (bytes) => {
      const isTaken = bytes.equals(confirmation);
      settle(isTaken ? undefined : new Error('it answered what no member answers'));
      socket.destroy();
    });
    socket.on('end', () =>
      settle(new Error('it closed the connection without taking the message')),
    );
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(frame.length);
    // Without an end: some proxies close both directions as soon as one ends.
    socket.write(Buffer.concat([length, frame]));
  }

  /** A connection to a member has ended: the frame that waits is next. */
  #ended(to: string): void {
    const left = (this.#outbound.get(to) ?? 1) - 1;
    if (left > 0) this.#outbound.set(to, left);
    else this.#outbound.delete(to);
    const next = this.#waiting.get(to);
    this.#waiting.delete(to);
    if (next && !this.#isClosed) this.send(to, next.at, next.frame, next.settled);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening)
      await new Promise<void>((closed) => this.#server.close(() => closed()));
  }

  #admit(socket: Socket): void {
    const end = (): void => {
      this.#parts.dropped('flood');
      socket.destroy();
    };
    const inbound: InboundSocket = { address: networkOf(socket.remoteAddress ?? ''), end };
    // A connection of a stranger that fails is not a failure of this member.
    socket.on('error', () => socket.destroy());
    this.#keep(socket, () => this.#limits.settled(inbound));
    if (this.#limits.admit(inbound)) this.#read(socket);
    else end();
  }

  /** Reads one frame. A connection that is slow, or sends more, is closed. */
  #read(socket: Socket): void {
    const { frameBytesMax, dropped } = this.#parts;
    const chunks: Buffer[] = [];
    let count = 0;
    let isRead = false;
    // One that sends nothing and ends is a probe.
    socket.on('close', () => {
      if (!isRead && count > 0 && !this.#isClosed) dropped('incomplete');
    });
    socket.on('data', (bytes) => {
      chunks.push(bytes);
      count += bytes.length;
      if (count < lengthBytes) return;
      const [first = bytes] = chunks;
      const length =
        first.length < lengthBytes ? merged(chunks).readUInt32BE() : first.readUInt32BE();
      const isTooLong = length > frameBytesMax;
      if (!isTooLong && count < lengthBytes + length) return;
      isRead = true;
      socket.removeAllListeners('data');
      this.#process(
        socket,
        isTooLong ? undefined : merged(chunks).subarray(lengthBytes, lengthBytes + length),
      );
    });
  }

  /** Processes one frame, `undefined` if it is too long, and ends its connection. */
  #process(socket: Socket, frame: Buffer | undefined): void {
    const { arrived, dropped } = this.#parts;
    if (frame === undefined) dropped('malformed');
    else if (arrived(frame)) return void socket.end(confirmation, () => socket.destroy());
    socket.destroy();
  }

  /** `late`: the error of the socket if it is open for too long. */
  #keep(socket: Socket, closed: () => void, late?: Error): void {
    this.#sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(late), frameMs);
    socket.on('close', () => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
      closed();
    });
  }
}

/** Joins the chunks, and keeps the result as the only one. */
function merged(chunks: Buffer[]): Buffer {
  const all = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
  chunks.splice(0, chunks.length, all);
  return all;
}
