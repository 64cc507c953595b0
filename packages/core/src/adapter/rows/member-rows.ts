// Reads the small rows by which members communicate: who is alive, and who requests a lease. The
// age of a row is how long it has read the same on the reader's own monotonic clock. No wall clock
// and no clock of the store is involved.
import type { Host } from '../../contract/backend.ts';
import type { Clock } from '../../time/clock.ts';
import type { Instant } from '../../time/instant.ts';

/** A row of a member, as this member has read it. */
export interface MemberRow {
  readonly name: string;
  readonly text: string;
  /** When this text was first read. */
  readonly since: Instant;
  /** When it was last read. Equal to `since` if the text is new. */
  readonly readAt: Instant;
}

/** A row of this member's own. */
export interface OwnRow {
  /** Writes the row. Rejects if the outcome is unknown, or if another writer changes the row. */
  put(text: string, isAwaited: boolean, signal: AbortSignal): Promise<void>;
  /** Removes the row if it still holds the last text that was put here. Rejects like `put`. */
  remove(): Promise<void>;
}

/** The rows of one kind that the members of a group write, wherever they are kept. */
export interface MemberRows {
  readonly host: Pick<Host, 'member' | 'incarnation'>;
  readonly clock: Clock;
  readonly thresholdMs: number;
  /** Resolves once this member may write rows, or the signal aborts. */
  admitted(signal: AbortSignal): Promise<void>;
  /** Yields all rows after each read, until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<readonly MemberRow[]>;
  /** Returns the name of the row of a member; `partition` is the one that a request is for. */
  nameOf(incarnation: string, partition?: number): string;
  /** Returns a row of this member's own. Sends no request yet. */
  own(name: string): OwnRow;
  /** Returns whether this member removes stale rows of others. Observers only read. */
  sweeps(): boolean;
  /** Removes a row of any member if its text is unchanged. */
  remove(row: MemberRow): Promise<unknown>;
}

/** Returns the rows that were read at `readAt`. `before` is the last result. */
export function memberRowsIn(
  rows: Iterable<readonly [name: string, text: string]>,
  before: readonly MemberRow[],
  readAt: Instant,
): readonly MemberRow[] {
  const known = new Map(before.map((row) => [row.name, row]));
  return Array.from(rows, ([name, text]) => {
    const old = known.get(name);
    return { name, text, since: old?.text === text ? old.since : readAt, readAt };
  });
}

/** Returns for how long a row has read the same. Milliseconds. */
export function ageMs({ since, readAt }: MemberRow): number {
  return readAt - since;
}
