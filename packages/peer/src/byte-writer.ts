// Encodes the messages between members, for Nerio and gossip.

/**
 * Encodes values. Reused for every frame: the result of `bytes` is valid until the next `restart`.
 */
export class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  restart(): void {
    this.#length = 0;
  }

  /** Discards everything beyond that length. */
  cutTo(length: number): void {
    this.#length = length;
  }

  /** The bytes written so far, not copied. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    const at = this.#take(1);
    this.#bytes[at] = value;
  }

  uint32(value: number): void {
    const at = this.#take(4);
    this.#bytes.writeUInt32BE(value, at);
  }

  /** Overwrites four bytes at that offset. */
  uint32At(at: number, value: number): void {
    this.#bytes.writeUInt32BE(value, at);
  }

  /** An integer from 0 to 2^53 − 1: seven bits per byte, lowest first. */
  uint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  float(value: number): void {
    const at = this.#take(8);
    this.#bytes.writeDoubleBE(value, at);
  }

  /**
   * From 0 to 2^63 − 1.
   *
   * @throws RangeError if the value is greater, because no member could read it
   */
  token(value: bigint): void {
    const at = this.#take(8);
    this.#bytes.writeBigInt64BE(value, at);
  }

  flag(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  /** UTF-8, preceded by its length. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.uint(length);
    const at = this.#take(length);
    this.#bytes.write(value, at, 'utf8');
  }

  raw(value: Uint8Array): void {
    const at = this.#take(value.length);
    this.#bytes.set(value, at);
  }

  #take(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) this.#grow();
    return at;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(2 ** Math.ceil(Math.log2(this.#length)));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}
