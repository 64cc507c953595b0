// An exchange on a store that lists its rows, and changes each on the condition that it is as it was listed.
import { LeadershipError } from '../contract/leadership-error.ts';
import { changedInOrder, type MakeChange } from './changed-in-order.ts';
import { listedAnswer, listedBefore, showsAll, type TextIn } from './listed-answer.ts';
import type { Exchanged, RowChange } from './rows.ts';
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

/** A store that lists its rows, as one member knows it. */
export interface ListedHistory<Row extends ListedRow, Listing extends ListedRows<Row>> {
  /** The incarnation of this member. */
  readonly incarnation: string;
  /** Returns whether a listing shows that changes are lost which the earlier one contains. */
  isOther(before: Listing, now: Listing): boolean;
  /**
   * Returns whether a listing shows the same version of a row. If it does after the store has refused to
   * replace that row, the copy that is listed is not the one that is changed. Absent if that cannot be.
   */
  isSame?(row: Row, now: Listing): boolean;
}

/** The requests of one exchange to such a store. */
export interface ListedStore<Row extends ListedRow, Listing extends ListedRows<Row>> {
  /**
   * Makes a change of a row whose text is the expected one. Resolves with whether the row was still as it
   * was listed. `row`: as it was listed; `undefined` if it was not.
   */
  make(change: RowChange, row: Row | undefined, notification: string | undefined): Promise<boolean>;
  /** Reads the rows, with all changes that were acknowledged before. */
  list(): Promise<Listing>;
  /**
   * Returns the rows as this reader has received them, which follows the store: each change in the order in
   * which they were made, those that `make` has made too. `undefined` if it does not follow, or not yet.
   */
  received?(): Promise<Listing | undefined>;
}

/** The exchanges of one member with a store where each change is a request of its own. */
export class ListedExchanges<Row extends ListedRow, Listing extends ListedRows<Row>> {
  readonly #history: ListedHistory<Row, Listing>;
  /** The rows whose change was refused since the last listing began, which shows why. */
  #refused: Row[] = [];
  /** Whether a listing has contradicted a refusal: the next answer is doubted (M6). */
  #isContradicted = false;
  /** Whether the last exchange with changes had an answer. */
  #isAnswered = false;

  constructor(history: ListedHistory<Row, Listing>) {
    const { isOther } = history;
    this.#history = {
      ...history,
      isOther: (before, now) => this.#isContradicted || isOther(before, now),
    };
  }

  /**
   * Answers an exchange.
   *
   * - A reader that follows the store changes what it has received, without asking. The answer is what it
   *   has received once its own changes are among them: they come after all that was acknowledged before.
   *   Where that is of another history, the exchange has no answer.
   * - Any other reader lists first. That is the answer, except after changes that it reads before it goes
   *   on, as a claim (M3): then it is a second listing, if that shows them and goes on from the first.
   *
   * @throws LeadershipError `assumption-broken` if a listing contradicts a refusal
   */
  async exchanged(request: ServerExchange, store: ListedStore<Row, Listing>): Promise<Exchanged> {
    const answer = await this.#answered(request, this.#compared(store));
    if (answer.isRestarted) this.#isContradicted = false;
    return answer;
  }

  /** Returns the store, whose listings are compared with what it has refused. */
  #compared(store: ListedStore<Row, Listing>): ListedStore<Row, Listing> {
    return {
      make: async (change, row, notification) => {
        const isMade = await store.make(change, row, notification);
        // A row whose removal has begun may stay as it is.
        if (!isMade && row && change.text !== null) this.#refused.push(row);
        return isMade;
      },
      list: async () => {
        const refused = this.#refused.splice(0);
        const listing = await store.list();
        this.#check(refused, listing);
        return listing;
      },
      // Only a listing shows why.
      received: async () =>
        this.#history.isSame && this.#refused.length > 0 ? undefined : store.received?.(),
    };
  }

  #check(refused: readonly Row[], listing: Listing): void {
    const { isSame } = this.#history;
    if (!isSame || !refused.some((row) => isSame(row, listing))) return;
    this.#isContradicted = true;
    throw new LeadershipError(
      'assumption-broken',
      'the store shows rows that it refuses to replace as outdated: a server went on while its data was restored; restart all servers, the API servers of Kubernetes too',
    );
  }

  async #answered(request: ServerExchange, store: ListedStore<Row, Listing>): Promise<Exchanged> {
    const { changes } = request;
    const { isOther } = this.#history;
    const received = await this.#received(request, store);
    const listing = received ?? (await store.list());
    if (this.#isLost(request, listing)) return listedAnswer(listing, request, undefined, textIn);
    if (changes.length === 0) return listedAnswer(listing, request, [], textIn);
    const outcomes = await this.#changed(request, (change, notification) => {
      const row = listing.rows.get(change.name);
      const holds = (row?.text ?? null) === change.expected;
      return holds ? store.make(change, row, notification) : Promise.resolve(false);
    });
    const made = changes.filter((_, index) => outcomes[index]);
    const now = received
      ? await followed(received, made, store, isOther)
      : await this.#goneOn(listing, made, store);
    this.#isAnswered = true;
    const isLost = made.length === 0 && this.#isLost(request, now);
    return listedAnswer(now, request, isLost ? undefined : outcomes, textIn);
  }

  #isLost(request: ServerExchange, now: Listing): boolean {
    const before = listedBefore<Listing>(request);
    return before !== undefined && this.#history.isOther(before, now);
  }

  /** Returns what the reader has received, if the changes may rest on it. */
  async #received(
    request: ServerExchange,
    store: ListedStore<Row, Listing>,
  ): Promise<Listing | undefined> {
    const { changes, since } = request;
    if (changes.length === 0 || since === undefined) return undefined;
    const received = await store.received?.();
    if (received === undefined || this.#isLost(request, received)) return undefined;
    // A condition that does not hold in what it has received may hold in the store.
    const isNewest = changes.every(({ name, expected }) => textIn(received, name) === expected);
    return isNewest ? received : undefined;
  }

  #changed(request: ServerExchange, make: MakeChange): Promise<readonly boolean[]> {
    const order = { incarnation: this.#history.incarnation, inOrder: !this.#isAnswered };
    this.#isAnswered = false;
    return changedInOrder(request, order, make);
  }

  /** Returns a listing that goes on from one before the changes, if it is read next; or else that one. */
  async #goneOn(
    listing: Listing,
    made: readonly RowChange[],
    store: ListedStore<Row, Listing>,
  ): Promise<Listing> {
    const { incarnation, isOther } = this.#history;
    if (!made.some((change) => isReadNext(change, incarnation))) return listing;
    // The changes are made, whatever becomes of this reading.
    const again = await listedAfter(made, store).catch(() => listing);
    return showsAll(made, again, textIn) && !isOther(listing, again) ? again : listing;
  }
}

/** Returns whether a member reads the row of a change before it goes on: neither its renewal nor its note. */
function isReadNext({ name }: RowChange, incarnation: string): boolean {
  return !name.startsWith(`session#${incarnation}/`) && !name.startsWith('member#');
}

/**
 * Returns the rows after the changes of a reader that follows the store.
 * @throws LeadershipError if they are of another history, or lack one of the changes
 */
async function followed<Row extends ListedRow, Listing extends ListedRows<Row>>(
  before: Listing,
  made: readonly RowChange[],
  store: ListedStore<Row, Listing>,
  isOther: (before: Listing, now: Listing) => boolean,
): Promise<Listing> {
  if (made.length === 0) return store.list();
  const now = await listedAfter(made, store);
  // No text is used twice: a row that has its former text was not changed in what was read. One that was
  // missing may have been removed again.
  const isMissing = made.some(
    ({ name, expected }) => expected !== null && textIn(now, name) === expected,
  );
  if (!isMissing && !isOther(before, now)) return now;
  throw new LeadershipError('unreachable', 'the store lost changes during the exchange');
}

/** Returns the rows after the changes: as they were received, or else as they are listed. */
async function listedAfter<Row extends ListedRow, Listing extends ListedRows<Row>>(
  made: readonly RowChange[],
  store: ListedStore<Row, Listing>,
): Promise<Listing> {
  const received = await store.received?.();
  return received && showsAll(made, received, textIn) ? received : store.list();
}

const textIn: TextIn<ListedRows<ListedRow>> = ({ rows }, name) => rows.get(name)?.text ?? null;
