// Decodes the messages between members, for Nerio and gossip.
import { isUtf8 } from 'node:buffer';

/**
 * Decodes untrusted bytes. A value that does not fit makes the reader unsound for good, and later
 * reads return empty values. So the caller checks `isSound` once, at the end. Every value has
 * exactly one encoding; any other is refused.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  #end: number;
  #at: number;
  #isSound = true;

  constructor(bytes: Buffer, start: number = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Whether every value so far was valid. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** Whether it is sound, and no bytes are left. */
  get isDone(): boolean {
    return this.#isSound && this.#at === this.#end;
  }

  /** Marks the input as invalid. */
  fail(): void {
    this.#isSound = false;
  }

  /** Excludes the last `count` bytes, which belong to another part of the frame. */
  dropLast(count: number): void {
    if (this.#at + count > this.#end) this.#isSound = false;
    else this.#end -= count;
  }

  byte(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : (this.#bytes[at] ?? 0);
  }

  /** An integer from 0 to `max`. */
  uint(max: number): number {
    let value = 0;
    let scale = 1;
    for (let length = 1; length <= uintBytesMax; length += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (byte < 0x80) return this.#checked(value, value <= max && (byte !== 0 || length === 1), 0);
    }
    return this.#checked(0, false, 0);
  }

  /** A number from `min` to `max`, possibly infinite. */
  float(min: number, max: number): number {
    const at = this.#take(8);
    const value = at < 0 ? 0 : this.#bytes.readDoubleBE(at);
    return this.#checked(value, value >= min && value <= max, 0);
  }

  token(): bigint {
    const at = this.#take(8);
    const value = at < 0 ? 0n : this.#bytes.readBigUInt64BE(at);
    return this.#checked(value, value <= tokenMax, 0n);
  }

  flag(): boolean {
    return this.uint(1) === 1;
  }

  /** One of these values, by its index. */
  oneOf<T>(values: readonly [T, ...(readonly T[])]): T {
    return values[this.uint(values.length - 1)] ?? values[0];
  }

  /** UTF-8 text of `bytesMin` to `bytesMax` bytes. */
  text(bytesMax: number, bytesMin: number = 1): string {
    const length = this.uint(bytesMax);
    const at = this.#take(length);
    if (at < 0 || length < bytesMin) return this.#checked('', false, '');
    const isText = isUtf8(this.#bytes.subarray(at, at + length));
    return this.#checked(isText ? this.#bytes.toString('utf8', at, at + length) : '', isText, '');
  }

  raw(count: number): Buffer {
    const at = this.#take(count);
    return at < 0 ? Buffer.alloc(count) : Buffer.from(this.#bytes.subarray(at, at + count));
  }

  /** The offset of the next `count` bytes; −1 if fewer are left. */
  #take(count: number): number {
    const at = this.#at;
    if (!this.#isSound || at + count > this.#end) {
      this.#isSound = false;
      return -1;
    }
    this.#at = at + count;
    return at;
  }

  #checked<T>(value: T, isRight: boolean, nothing: T): T {
    if (isRight && this.#isSound) return value;
    this.#isSound = false;
    return nothing;
  }
}

/** 53 bits at 7 bits per byte. */
const uintBytesMax = 8;

/** The greatest token: tokens fit a signed 64-bit column (T1). */
const tokenMax = 2n ** 63n - 1n;
