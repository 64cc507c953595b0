// The binary format in which members introduce themselves on a new connection.
import type { ByteReader, ByteWriter } from '@leadership/peer';
import type { Introduction, Pin } from '../transport.ts';
import { incarnationBytesMax, nameBytesMax } from './limits.ts';

/** The limits on pinned values: their number, and the lengths of names and values. */
const pinsMax = 32;
const pinBytesMax = 200;
/** The limits on metadata. It is at most 1 KiB of JSON, so neither more nor longer words fit. */
const wordsMax = 256;
const wordBytesMax = 1024;
/** The last moment that a `Date` can express. Milliseconds since 1970. */
const wallMsMax = 8.64e15;

/** Writes a member's description of itself. */
export function writeIntroduction(
  to: ByteWriter,
  { member, incarnation, pin, metadata, observes, since = 0 }: Introduction,
): void {
  to.text(member);
  to.text(incarnation);
  const pins = Object.entries(pin);
  to.uint(pins.length);
  for (const [name, value] of pins) writePin(to, name, value);
  const words = Object.entries(metadata);
  to.uint(words.length);
  for (const [name, word] of words) {
    to.text(name);
    to.text(word);
  }
  to.flag(observes === true);
  to.uint(since);
}

/** Reads a member's description of itself. */
export function readIntroduction(from: ByteReader): Introduction {
  const member = from.text(nameBytesMax);
  const incarnation = from.text(incarnationBytesMax);
  const pin = readEntries(from, pinsMax, readPin);
  const metadata = readEntries(
    from,
    wordsMax,
    () => [from.text(wordBytesMax, 0), from.text(wordBytesMax, 0)] as const,
  );
  const observes = from.flag();
  const since = from.uint(wallMsMax);
  const presence = { ...(observes && { observes }), ...(since > 0 && { since }) };
  return { member, incarnation, pin, metadata, ...presence };
}

function writePin(to: ByteWriter, name: string, value: Pin[string]): void {
  to.text(name);
  to.flag(typeof value === 'string');
  if (typeof value === 'string') to.text(value);
  else to.float(value);
}

function readPin(from: ByteReader): readonly [string, string | number] {
  const name = from.text(pinBytesMax);
  return [
    name,
    from.flag() ? from.text(pinBytesMax, 0) : from.float(-Number.MAX_VALUE, Number.MAX_VALUE),
  ];
}

/** An object whose keys are own properties, whatever their names. */
function readEntries<T>(
  from: ByteReader,
  countMax: number,
  read: (from: ByteReader) => readonly [string, T],
): Readonly<Record<string, T>> {
  const count = from.uint(countMax);
  const entries: (readonly [string, T])[] = [];
  for (let index = 0; index < count && from.isSound; index += 1) entries.push(read(from));
  return Object.fromEntries(entries);
}
