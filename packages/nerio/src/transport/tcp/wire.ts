// A socket of the TCP transport, either inbound or outbound.
import type { Socket } from 'node:net';
import { FrameCutter } from '../frames/frame-cutter.ts';

/** Receives the events of a wire. */
export interface WireListener {
  /** A frame without its length prefix. The buffer is valid during the call only. */
  frame(frame: Buffer): void;
  /** A frame longer than the limit was announced. No further frame follows. */
  oversized(): void;
  /** The written frames were sent. */
  drained(): void;
  /** The socket has closed, with the error that closed it, if any. Called once. */
  over(error: Error | undefined): void;
}

/** A socket that sends and receives frames. */
export class Wire {
  readonly #socket: Socket;
  readonly #cutter: FrameCutter;
  readonly #listener: WireListener;
  #isPaused = false;
  #isClosed = false;
  #error: Error | undefined;

  constructor(socket: Socket, lengthMax: number, listener: WireListener) {
    this.#socket = socket;
    this.#cutter = new FrameCutter(lengthMax);
    this.#listener = listener;
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('drain', () => listener.drained());
    socket.on('error', (error) => {
      this.#error = error;
    });
    socket.on('close', () => {
      this.#isClosed = true;
      listener.over(this.#error);
    });
  }

  /** Sets the longest accepted frame. Bytes. */
  allow(lengthMax: number): void {
    this.#cutter.lengthMax = lengthMax;
  }

  write(frame: Buffer): void {
    if (!this.#isClosed) this.#socket.write(frame);
  }

  /** Whether the socket's buffer is full because the peer does not read. */
  get isFull(): boolean {
    return this.#isClosed || this.#socket.writableNeedDrain;
  }

  /** Stops reading, so that the peer's frames wait on its side. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** Continues to read. */
  resume(): void {
    if (this.#isClosed) return;
    this.#isPaused = false;
    this.#cut();
    if (!this.#isPaused) this.#socket.resume();
  }

  /** Closes the socket after the written frames were sent and the peer has closed its side. */
  finish(): void {
    this.#socket.end();
  }

  /** Ignores all further frames, and closes the socket after the written frames were sent. */
  closeAfterFlush(): void {
    this.#isClosed = true;
    this.#socket.destroySoon();
  }

  /** Closes the socket at once. */
  cut(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    if (this.#isClosed) return;
    this.#cutter.put(piece);
    this.#cut();
  }

  #cut(): void {
    while (!this.#isPaused && !this.#isClosed) {
      const frame = this.#cutter.next();
      if (frame === undefined) return;
      if (frame === 'oversized') return this.#listener.oversized();
      this.#listener.frame(frame);
    }
  }
}
