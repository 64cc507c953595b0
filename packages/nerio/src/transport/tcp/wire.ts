import type { Socket } from 'node:net';
import { FrameCutter } from '../frames/frame-cutter.ts';

/** Who listens to a wire. */
export interface WireEars {
  /** A frame, without its length. It is good until the call is over. */
  frame(frame: Buffer): void;
  /** A frame was announced that is longer than any: nothing more comes. */
  oversized(): void;
  /** What was written has gone out. */
  drained(): void;
  /** It is over, once; with the error that ended it, if any. */
  over(error: Error | undefined): void;
}

/** A socket that brings frames and takes them. */
export class Wire {
  readonly #socket: Socket;
  readonly #cutter: FrameCutter;
  readonly #ears: WireEars;
  #isHeld = false;
  #isOver = false;
  #error: Error | undefined;

  constructor(socket: Socket, lengthMax: number, ears: WireEars) {
    this.#socket = socket;
    this.#cutter = new FrameCutter(lengthMax);
    this.#ears = ears;
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('drain', () => ears.drained());
    socket.on('error', (error) => {
      this.#error = error;
    });
    socket.on('close', () => {
      this.#isOver = true;
      ears.over(this.#error);
    });
  }

  /** The longest frame that is taken from now on. Bytes. */
  allow(lengthMax: number): void {
    this.#cutter.lengthMax = lengthMax;
  }

  write(frame: Buffer): void {
    if (!this.#isOver) this.#socket.write(frame);
  }

  /** Whether the peer has not taken what was written: more would only pile up. */
  get isFull(): boolean {
    return this.#isOver || this.#socket.writableNeedDrain;
  }

  /** Reads no more for now: what the peer sends piles up on its side. */
  hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  /** Reads on. */
  goOn(): void {
    if (this.#isOver) return;
    this.#isHeld = false;
    this.#cut();
    if (!this.#isHeld) this.#socket.resume();
  }

  /** Ends it once what was written has gone out, and the peer has ended it too. */
  finish(): void {
    this.#socket.end();
  }

  /** Hears nothing more, and ends it once what was written has gone out, whatever the peer does. */
  turnOut(): void {
    this.#isOver = true;
    this.#socket.destroySoon();
  }

  /** Ends it at once. */
  cut(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    if (this.#isOver) return;
    this.#cutter.put(piece);
    this.#cut();
  }

  #cut(): void {
    while (!this.#isHeld && !this.#isOver) {
      const frame = this.#cutter.next();
      if (frame === undefined) return;
      if (frame === 'oversized') return this.#ears.oversized();
      this.#ears.frame(frame);
    }
  }
}
