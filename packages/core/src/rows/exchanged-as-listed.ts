// An exchange on a store that lists its rows, and changes each on the condition that it is as it was listed.
import { changedInOrder } from './changed-in-order.ts';
import type { Exchanged, NamedText, RowChange } from './rows.ts';
import type { ServerExchange } from './server-rows.ts';

/** A row as it was listed. */
export interface ListedRow {
  /** `null` if the store shows that it was removed. */
  readonly text: string | null;
}

/** All rows of a group at one instant, and what else the store needs to know of it. */
export interface ListedRows<Row extends ListedRow> {
  /** The rows, by their names. */
  readonly rows: ReadonlyMap<string, Row>;
}

/** A store that lists its rows. */
export interface ListedStore<Row extends ListedRow, Listing extends ListedRows<Row>> {
  /** The incarnation of this member. */
  readonly incarnation: string;
  /** Returns whether a listing shows that changes are lost which the earlier one contains. */
  isOther(before: Listing, now: Listing): boolean;
  /**
   * Makes a change of a row whose text is the expected one. Resolves with whether the row was still as it
   * was listed. `row`: as it was listed; `undefined` if it was not.
   */
  make(change: RowChange, row: Row | undefined, notification: string | undefined): Promise<boolean>;
  /** Lists the rows once more, after changes that the member reads before it goes on. */
  listAgain(): Promise<Listing>;
}

/** Where a reader is. */
interface Position<Listing> {
  readonly listing: Listing;
  /** The names of the rows that the reader has asked to change since: the next answer shows them all. */
  readonly changed: readonly string[];
}

/**
 * Answers an exchange with a listing, and makes its changes in order. After changes that the member reads
 * before it goes on, as a claim (M3), the answer is a second listing: if that goes on from the first one,
 * and shows each of these changes as it was made. Otherwise the next exchange shows what became of them.
 */
export async function exchangedAsListed<Row extends ListedRow, Listing extends ListedRows<Row>>(
  request: ServerExchange,
  listing: Listing,
  store: ListedStore<Row, Listing>,
): Promise<Exchanged> {
  const before = request.since as Position<Listing> | undefined;
  const isRestarted = before !== undefined && store.isOther(before.listing, listing);
  const known = isRestarted || request.isWhole ? undefined : before;
  const outcomes = isRestarted
    ? request.changes.map(() => false)
    : await changedInOrder(request, store.incarnation, async (change, notification) => {
        const row = listing.rows.get(change.name);
        if ((row?.text ?? null) !== change.expected) return false;
        return store.make(change, row, notification);
      });
  const made = request.changes.filter((_, index) => outcomes[index]);
  const now = made.some((change) => isReadNext(change, store.incarnation))
    ? await listedAgain(listing, made, store)
    : listing;
  return {
    outcomes,
    rows: known === undefined ? all(now.rows) : differences(known, now.rows),
    position: {
      listing: now,
      changed: isRestarted ? [] : request.changes.map(({ name }) => name),
    } satisfies Position<Listing>,
    isWhole: known === undefined,
    ...(isRestarted && { isRestarted }),
  };
}

/** Returns whether a member reads the row of a change before it goes on: neither its renewal nor its note. */
function isReadNext({ name }: RowChange, incarnation: string): boolean {
  return !name.startsWith(`session#${incarnation}/`) && !name.startsWith('member#');
}

/** Returns a listing after the changes, or else the one before them. */
async function listedAgain<Row extends ListedRow, Listing extends ListedRows<Row>>(
  listing: Listing,
  made: readonly RowChange[],
  store: ListedStore<Row, Listing>,
): Promise<Listing> {
  // The changes are made, whatever becomes of this reading.
  const again = await store.listAgain().catch(() => listing);
  const isShown = made.every(({ name, text }) => (again.rows.get(name)?.text ?? null) === text);
  return isShown && !store.isOther(listing, again) ? again : listing;
}

type Rows = ReadonlyMap<string, ListedRow>;

function all(rows: Rows): readonly NamedText[] {
  return Array.from(rows, ([name, { text }]): NamedText => [name, text]).filter(
    ([, text]) => text !== null,
  );
}

function differences(before: Position<{ readonly rows: Rows }>, now: Rows): readonly NamedText[] {
  const { listing, changed } = before;
  const textIn = (rows: Rows, name: string): string | null => rows.get(name)?.text ?? null;
  const names = [...listing.rows.keys(), ...now.keys()].filter(
    (name) => textIn(listing.rows, name) !== textIn(now, name),
  );
  return Array.from(new Set([...changed, ...names]), (name) => [name, textIn(now, name)]);
}
