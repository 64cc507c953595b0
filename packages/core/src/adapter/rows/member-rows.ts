// Interprets the small rows by which members communicate. The age of a row is how long it has read
// the same on the reader's own monotonic clock. No wall clock and no clock of the store is
// involved.
import type { Instant } from '../../time/instant.ts';
import { type MemberRowKind, memberRowKind } from './names.ts';

/** A row of a member, as this member has read it. */
export interface MemberRow {
  readonly name: string;
  readonly kind: MemberRowKind;
  readonly text: string;
  /** When this text was first read. */
  readonly since: Instant;
  /** When it was last read. Equal to `since` if the text is new. */
  readonly readAt: Instant;
}

/**
 * Extracts the members' rows from `rows`, which were read at `readAt`. `before` is the last result.
 */
export function memberRowsIn(
  rows: ReadonlyMap<string, string>,
  before: readonly MemberRow[],
  readAt: Instant,
): readonly MemberRow[] {
  const known = new Map(before.map((row) => [row.name, row]));
  return [...rows].flatMap(([name, text]) => {
    const kind = memberRowKind(name);
    if (kind === undefined) return [];
    const old = known.get(name);
    return [{ name, kind, text, since: old?.text === text ? old.since : readAt, readAt }];
  });
}

/** Returns for how long a row has read the same. Milliseconds. */
export function ageMs({ since, readAt }: MemberRow): number {
  return readAt - since;
}
