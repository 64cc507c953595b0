// The answer of an exchange with a store that lists all its rows, from what was listed.
import type { Exchange, Exchanged, NamedText, RowChange } from './rows.ts';

/** All rows of a store at one instant. */
interface Listed {
  /** The rows, by their names. */
  readonly rows: ReadonlyMap<string, unknown>;
}

/** Returns the text of a row as it was listed; `null` if it does not exist. */
export type TextIn<Listing> = (listing: Listing, name: string) => string | null;

/** Where a reader is. */
interface Position<Listing> {
  readonly listing: Listing;
  /** The names of the rows that the reader has asked to change since: the next answer shows them all. */
  readonly changed: readonly string[];
}

/** Returns what the reader of a request has listed last; `undefined` in its first request. */
export function listedBefore<Listing>({ since }: Exchange): Listing | undefined {
  return (since as Position<Listing> | undefined)?.listing;
}

/**
 * Returns the answer that a listing is: what differs from the one before, or all. `outcomes`: those of the
 * changes; none if it is of another history.
 */
export function listedAnswer<Listing extends Listed>(
  now: Listing,
  { since, isWhole: isWanted = false, changes }: Exchange,
  outcomes: readonly boolean[] | undefined,
  textIn: TextIn<Listing>,
): Exchanged {
  const isRestarted = outcomes === undefined;
  const known = isRestarted || isWanted ? undefined : (since as Position<Listing> | undefined);
  const changed = isRestarted ? [] : changes.map(({ name }) => name);
  return {
    outcomes: outcomes ?? changes.map(() => false),
    rows: differences(known, now, textIn),
    position: { listing: now, changed } satisfies Position<Listing>,
    isWhole: known === undefined,
    ...(isRestarted && { isRestarted }),
  };
}

/** Returns whether a listing shows changes that were made. */
export function showsAll<Listing>(
  made: readonly RowChange[],
  listing: Listing,
  textIn: TextIn<Listing>,
): boolean {
  return made.every(({ name, text }) => textIn(listing, name) === text);
}

function differences<Listing extends Listed>(
  known: Position<Listing> | undefined,
  now: Listing,
  textIn: TextIn<Listing>,
): readonly NamedText[] {
  const before = known?.listing;
  const names = [...(before?.rows.keys() ?? []), ...now.rows.keys()].filter(
    (name) => (before ? textIn(before, name) : null) !== textIn(now, name),
  );
  return Array.from(new Set([...(known?.changed ?? []), ...names]), (name) => [
    name,
    textIn(now, name),
  ]);
}
