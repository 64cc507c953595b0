// The binary formats of the values in a message, with the sizes that the gossip counts with
// (`gossip/size.ts`). Rule numbers such as S3: docs/reference/rules.md.
import { isUtf8 } from 'node:buffer';
import type { ByteReader, ByteWriter } from '@leadership/peer';

/** The greatest whole number in a message. */
export const wholeMax: number = Number.MAX_SAFE_INTEGER;

/** Microseconds per millisecond: clocks are sent in microseconds. */
const microsPerMs = 1000;
/** The greatest clock on the wire, 35 years: below it, a number of microseconds is exact. */
const microsMax = 2 ** 50;

/** Writes a text of at most 255 bytes: one byte for its length. */
export function writeName(to: ByteWriter, text: string): void {
  const bytes = Buffer.from(text);
  to.byte(bytes.length);
  to.raw(bytes);
}

export function readName(from: ByteReader): string {
  return textOf(from, from.byte());
}

/** Writes a value of an entry: two bytes for its length, of which 0 stands for a deletion. */
export function writeValue(to: ByteWriter, value: string | undefined): void {
  const bytes = Buffer.from(value ?? '');
  const length = value === undefined ? 0 : bytes.length + 1;
  to.byte(length >> 8);
  to.byte(length & 0xff);
  to.raw(bytes);
}

export function readValue(from: ByteReader): string | undefined {
  const high = from.byte();
  const length = high * 256 + from.byte();
  return length === 0 ? undefined : textOf(from, length - 1);
}

/** Writes a number of two bytes. */
export function writeShort(to: ByteWriter, value: number): void {
  to.byte(value >> 8);
  to.byte(value & 0xff);
}

export function readShort(from: ByteReader): number {
  const high = from.byte();
  return high * 256 + from.byte();
}

/** Writes a clock, rounded down: a lower bound stays one (S3). A received clock stays the same. */
export function writeClock(to: ByteWriter, ms: number): void {
  const nearest = Math.min(Math.round(ms * microsPerMs), microsMax);
  to.uint(nearest / microsPerMs <= ms ? nearest : nearest - 1);
}

export function readClock(from: ByteReader): number {
  return from.uint(microsMax) / microsPerMs;
}

/** Writes one bit per item. */
export function writeBits(to: ByteWriter, bits: readonly boolean[]): void {
  for (let start = 0; start < bits.length; start += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit += 1) if (bits[start + bit] === true) byte |= 1 << bit;
    to.byte(byte);
  }
}

export function readBits(from: ByteReader, count: number): readonly boolean[] {
  const bits: boolean[] = [];
  for (let start = 0; start < count; start += 8) {
    const byte = from.byte();
    const used = Math.min(8, count - start);
    // Each value has one encoding: the bits that stand for nothing are 0.
    if (byte >> used !== 0) from.fail();
    for (let bit = 0; bit < used; bit += 1) bits.push((byte & (1 << bit)) !== 0);
  }
  return bits;
}

/** Reads up to `count` items. Stops at the first one that is not valid. */
export function readList<T>(from: ByteReader, count: number, read: () => T): readonly T[] {
  const items: T[] = [];
  for (let index = 0; index < count && from.isSound; index += 1) items.push(read());
  return items;
}

function textOf(from: ByteReader, length: number): string {
  const bytes = from.raw(length);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  from.fail();
  return '';
}
