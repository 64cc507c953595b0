// The binary formats of the values in a message, with the sizes that the gossip counts with
// (`gossip/size.ts`). Rule numbers such as S3: docs/reference/rules.md.
import { isUtf8 } from 'node:buffer';
import { type ByteReader, type ByteWriter, type Form, listForm } from '@leadership/peer';

/** Microseconds per millisecond: clocks are sent in microseconds. */
const microsPerMs = 1000;
/** The greatest clock on the wire, 35 years: below it, a number of microseconds is exact. */
const microsMax = 2 ** 50;

/** A text of at most 255 bytes: one byte for its length. */
export const nameForm: Form<string> = {
  write(to, text) {
    const bytes = Buffer.from(text);
    to.byte(bytes.length);
    to.raw(bytes);
  },
  read: (from) => textOf(from, from.byte()),
};

/** A number of two bytes. */
export const shortForm: Form<number> = {
  write(to, value) {
    to.byte(value >> 8);
    to.byte(value & 0xff);
  },
  read: (from) => from.byte() * 256 + from.byte(),
};

/** A value of an entry: two bytes for its length, of which 0 stands for a deletion. */
export const valueForm: Form<string | undefined> = {
  write(to, value, sender) {
    const bytes = Buffer.from(value ?? '');
    shortForm.write(to, value === undefined ? 0 : bytes.length + 1, sender);
    to.raw(bytes);
  },
  read(from, receiver) {
    const length = shortForm.read(from, receiver);
    return length === 0 ? undefined : textOf(from, length - 1);
  },
};

/** A clock, rounded down: a lower bound stays one (S3). A received clock stays the same. */
export const clockForm: Form<number> = {
  write(to, ms) {
    const nearest = Math.min(Math.round(ms * microsPerMs), microsMax);
    to.uint(nearest / microsPerMs <= ms ? nearest : nearest - 1);
  },
  read: (from) => from.uint(microsMax) / microsPerMs,
};

const byteForm: Form<number> = {
  write: (to, value) => to.byte(value),
  read: (from) => from.byte(),
};

/** At most 255 values: one byte for their number. */
export function fewForm<T, Sender, Receiver extends Sender>(
  item: Form<T, Sender, Receiver>,
): Form<readonly T[], Sender, Receiver> {
  return listForm(byteForm, item);
}

/** At most 65,535 values: two bytes for their number. */
export function manyForm<T, Sender, Receiver extends Sender>(
  item: Form<T, Sender, Receiver>,
): Form<readonly T[], Sender, Receiver> {
  return listForm(shortForm, item);
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

function textOf(from: ByteReader, length: number): string {
  const bytes = from.raw(length);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  from.fail();
  return '';
}
