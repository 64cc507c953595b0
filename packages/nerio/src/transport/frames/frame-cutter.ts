import { lengthBytes } from './frame.ts';

/**
 * Cuts what a connection brings into frames. Holds what has come of one frame at most, and the piece that came last; makes room for a
 * frame only once its length has been found to be allowed.
 */
export class FrameCutter {
  /** The longest frame that is taken. Bytes. */
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

  /** Takes the next piece. What is left of the one before must have been cut. */
  put(piece: Buffer): void {
    this.#piece = piece;
    this.#at = 0;
  }

  /** The next frame, without its length; `undefined` until more has come. After `oversized` there is nothing more to be had. */
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

  /** The frame, where this piece has all of it: as a rule, and then it need not be copied. */
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
