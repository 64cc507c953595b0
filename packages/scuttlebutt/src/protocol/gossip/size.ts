// Counts the bytes of the parts of a message before it is encoded, so that a datagram is filled
// exactly. Numbers are encoded in groups of seven bits, texts with one byte for the length, clocks
// in microseconds, rounded down.

import type { Row } from './node.ts';
import { utf8Length } from './plausible.ts';

/** The fixed part of every message: kind, pin, and the counts of what follows. */
export const headerBytes = 24;

/** The size of a number. */
export function numberBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest /= 128) bytes += 1;
  return bytes;
}

/** The size of a text. */
export function textBytes(text: string): number {
  return 1 + utf8Length(text);
}

/** The size of a row. */
export function rowBytes({ name, generation, beat, clock, sequence, version, floor }: Row): number {
  return (
    textBytes(name) +
    numberBytes(generation) +
    numberBytes(beat) +
    numberBytes(clock * 1000) +
    numberBytes(sequence) +
    numberBytes(version) +
    numberBytes(floor)
  );
}

/** The size of an entry. A value has two bytes for its length. */
export function entryBytes(key: string, value: string | undefined, version: number): number {
  return textBytes(key) + numberBytes(version) + 2 + (value === undefined ? 0 : utf8Length(value));
}
