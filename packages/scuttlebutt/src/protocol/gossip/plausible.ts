// Rejects gossip with values that no member sends. A number near the limits of its type would leave
// no greater one, and a member must not make others store more than a bounded amount.

import type { Row } from './node.ts';

/** The longest name and key, in bytes: the wire format has one byte for the length. */
export const nameBytesMax = 255;
/** The longest value. One value must fit into a datagram with everything before it. */
export const valueBytesMax = 512;
/** The greatest beat, sequence and version: one every millisecond for 34 years. */
const countMax = 2 ** 40;
/** The greatest number of rounds or changes that a receiver may have missed: a decade of rounds. */
const missedMax = 2 ** 31;
/** The longest life of a member: 278 years, in milliseconds. */
const clockMax = 2 ** 43;
/** How far ahead another member's wall clock may be: ten years. Microseconds. */
const wallAhead = 315_576_000_000_000;
/** A wall clock earlier than 2026 has not been set. Microseconds. */
const earliestWall = 1_767_225_600_000_000;

/** Whether a member may have sent this row, given what is known of that member's generation. */
export function isPlausibleRow(row: Row, known: Row | undefined, wallMicros: number): boolean {
  // The name of a known member has been checked.
  if (known === undefined && !isName(row.name)) return false;
  if (!hasCounts(row)) return false;
  if (!(row.clock >= 0 && row.clock <= clockMax)) return false;
  if (!isCount(row.generation) || microsAhead(row.generation, wallMicros) > 0) return false;
  if (known === undefined || known.generation !== row.generation) return true;
  return (
    row.beat - known.beat <= missedMax &&
    row.sequence - known.sequence <= missedMax &&
    row.version - known.version <= missedMax
  );
}

function isName(name: string): boolean {
  return name.length > 0 && utf8Length(name) <= nameBytesMax;
}

function hasCounts({ beat, sequence, version, floor }: Row): boolean {
  return isInRange(beat) && isInRange(sequence) && isInRange(version) && isInRange(floor);
}

function isInRange(count: number): boolean {
  return isCount(count) && count <= countMax;
}

/**
 * Returns how far the wall clock with which a generation started is ahead, if that is farther than it
 * may be; otherwise 0. Microseconds.
 */
export function microsAhead(generation: number, wallMicros: number): number {
  const ahead = generation - Math.max(wallMicros, earliestWall);
  return ahead > wallAhead ? ahead : 0;
}

/** Returns the latest time that the wall clock of another member may show. Microseconds. */
export function latestWall(wallMicros: number): number {
  return Math.max(wallMicros, earliestWall) + wallAhead;
}

/** Whether a value is a number that counts. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Returns the number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
