// Reads frames from the byte stream of a connection.
import { lengthBytes } from './frame.ts';

/**
 * Splits the bytes of a connection into frames. It holds the last piece and at most one incomplete
 * frame, and allocates memory for a frame only after its length was checked.
 */
export class FrameCutter {
  /** The longest accepted frame. Bytes. */
  lengthMax: number;
  #piece: Buffer = nothing;
  #at = 0;
  readonly #length: Buffer = Buffer.alloc(lengthBytes);
  #lengthRead = 0;
  #frame: Buffer | undefined;
  #frameRead = 0;

  constructor(lengthMax: number) {
    this.lengthMax = lengthMax;
  }

  /** Adds the next piece. The previous one must have been read to its end with `next`. */
  put(piece: Buffer): void {
    this.#piece = piece;
    this.#at = 0;
  }

  /**
   * Returns the next frame without its length; `undefined` if it is incomplete. `oversized` is
   * final.
   */
  next(): Buffer | 'oversized' | undefined {
    if (this.#frame === undefined) {
      if (!this.#readLength()) return undefined;
      const length = this.#length.readUInt32BE(0);
      if (length > this.lengthMax) return 'oversized';
      const whole = this.#whole(length);
      if (whole !== undefined) return whole;
      this.#frame = Buffer.allocUnsafe(length);
      this.#frameRead = 0;
    }
    return this.#readFrame(this.#frame);
  }

  #readLength(): boolean {
    const count = Math.min(lengthBytes - this.#lengthRead, this.#piece.length - this.#at);
    this.#piece.copy(this.#length, this.#lengthRead, this.#at, this.#at + count);
    this.#lengthRead += count;
    this.#at += count;
    return this.#lengthRead === lengthBytes;
  }

  /**
   * Returns the frame without copying it if this piece contains all of it, which is the usual case.
   */
  #whole(length: number): Buffer | undefined {
    if (this.#piece.length - this.#at < length) return undefined;
    const whole = this.#piece.subarray(this.#at, this.#at + length);
    this.#at += length;
    this.#lengthRead = 0;
    return whole;
  }

  #readFrame(frame: Buffer): Buffer | undefined {
    const count = Math.min(frame.length - this.#frameRead, this.#piece.length - this.#at);
    this.#piece.copy(frame, this.#frameRead, this.#at, this.#at + count);
    this.#frameRead += count;
    this.#at += count;
    if (this.#frameRead < frame.length) return undefined;
    this.#frame = undefined;
    this.#lengthRead = 0;
    return frame;
  }
}

const nothing: Buffer = Buffer.alloc(0);
