// One connection through the TCP proxy of tests: applies its faults to the bytes.
import type { Socket } from 'node:net';
import type { Direction } from './active-faults.ts';

/** The faults of the network in one direction of a connection, and the counters of its bytes. */
export interface Passage {
  /** Whether bytes are lost now. */
  readonly discards: boolean;
  /** Whether bytes wait in the network now. */
  readonly holds: boolean;
  readonly delayMs: number;
  /** Default: no limit. */
  readonly bytesPerSecond: number;
  passed(bytes: number): void;
  discarded(bytes: number): void;
}

/** A connection through the proxy. Disposal resets both sides. */
export interface ProxiedConnection extends Disposable {
  readonly closed: Promise<void>;
  /**
   * Applies the present faults. Resets the connection if it has lost bytes in a direction that
   * passes bytes again: the stream is incomplete, and no TCP connection continues behind a gap.
   */
  update(): void;
}

/**
 * Joins two sockets, both of which may be half closed. Without a server it discards whatever the
 * client sends.
 */
export function proxiedConnection(
  client: Socket,
  server: Socket | undefined,
  passageOf: (direction: Direction) => Passage,
): ProxiedConnection {
  const sockets = server ? [client, server] : [client];
  // Each piece is passed on when it comes: one that waited for the acknowledgement of the one
  // before would be late by some 40 ms.
  for (const socket of sockets) socket.setNoDelay(true);
  const streams = [new ProxiedStream(client, server, passageOf('to-server'))];
  if (server) streams.push(new ProxiedStream(server, client, passageOf('to-client')));
  const reset = (): void => {
    for (const stream of streams) stream[Symbol.dispose]();
    for (const socket of sockets) if (!socket.destroyed) socket.resetAndDestroy();
  };
  // A reset on one side is a reset on the other.
  for (const socket of sockets) socket.on('error', reset);
  const closed = Promise.all(
    sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
  );
  return {
    closed: closed.then(() => undefined),
    update() {
      if (streams.some(({ isBroken }) => isBroken)) reset();
      else for (const stream of streams) stream.deliver();
    },
    [Symbol.dispose]: reset,
  };
}

type Piece = Buffer | 'end';

/** The bytes that a held or throttled stream takes from its sender, like the buffers of a host. */
const bufferedBytesMax = 1 << 20;

/** The period at which a throttled stream delivers. Milliseconds. */
const throttledEveryMs = 20;

/** One direction of a connection. Pieces leave it in the order in which they came. */
class ProxiedStream implements Disposable {
  readonly #from: Socket;
  readonly #to: Socket | undefined;
  readonly #passage: Passage;
  readonly #waiting: { piece: Piece; readonly dueAt: number }[] = [];
  #waitingBytes = 0;
  /** When a throttled stream may deliver again. */
  #freeAt = 0;
  #hasGap: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(from: Socket, to: Socket | undefined, passage: Passage) {
    this.#from = from;
    this.#to = to;
    this.#passage = passage;
    this.#hasGap = to === undefined;
    from.on('data', (piece) => this.#take(piece));
    from.on('end', () => this.#take('end'));
    to?.on('drain', () => this.#limitSender());
  }

  /** Whether bytes pass again behind a gap. */
  get isBroken(): boolean {
    return this.#hasGap && !this.#passage.discards;
  }

  /** Delivers what is due, and sets a timer for the rest. */
  deliver(): void {
    clearTimeout(this.#timer);
    const { holds } = this.#passage;
    for (let first = this.#waiting[0]; first && !holds; first = this.#waiting[0]) {
      const waitMs = this.#dueAt(first) - performance.now();
      if (waitMs > 0) {
        // A timer may fire up to a millisecond early, so this compares with the clock again.
        this.#timer = setTimeout(() => this.deliver(), Math.ceil(waitMs));
        break;
      }
      this.#write(this.#next(first));
    }
    this.#limitSender();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #take(piece: Piece): void {
    const { discards, delayMs } = this.#passage;
    const bytes = bytesOf(piece);
    // The bytes behind a gap are lost as well, until the connection is reset.
    if (discards || this.#hasGap) {
      this.#hasGap = true;
      this.#passage.discarded(bytes);
      return;
    }
    this.#passage.passed(bytes);
    this.#waiting.push({ piece, dueAt: performance.now() + delayMs });
    this.#waitingBytes += bytes;
    this.deliver();
  }

  #dueAt({ dueAt }: { readonly dueAt: number }): number {
    return this.#isThrottled ? Math.max(dueAt, this.#freeAt) : dueAt;
  }

  get #isThrottled(): boolean {
    return this.#passage.bytesPerSecond < Number.POSITIVE_INFINITY;
  }

  /** Takes the first piece, or as much of it as a throttled stream delivers at a time. */
  #next(first: { piece: Piece }): Piece {
    const { piece } = first;
    const bytesMax = Math.ceil((this.#passage.bytesPerSecond * throttledEveryMs) / 1000);
    const isWhole = piece === 'end' || piece.length <= bytesMax;
    if (isWhole) this.#waiting.shift();
    else first.piece = piece.subarray(bytesMax);
    const next = isWhole ? piece : piece.subarray(0, bytesMax);
    this.#waitingBytes -= bytesOf(next);
    this.#freeAt =
      Math.max(this.#freeAt, performance.now()) +
      (bytesOf(next) / this.#passage.bytesPerSecond) * 1000;
    return next;
  }

  #write(piece: Piece): void {
    if (this.#to === undefined || this.#to.destroyed) return;
    if (piece === 'end') this.#to.end();
    else this.#to.write(piece);
  }

  /** Pauses the sender while the receiver, or a network that holds or throttles, is behind. */
  #limitSender(): void {
    const { holds } = this.#passage;
    const isFull = (holds || this.#isThrottled) && this.#waitingBytes >= bufferedBytesMax;
    if (isFull || this.#to?.writableNeedDrain) this.#from.pause();
    else if (this.#from.isPaused()) this.#from.resume();
  }
}

function bytesOf(piece: Piece): number {
  return piece === 'end' ? 0 : piece.length;
}
