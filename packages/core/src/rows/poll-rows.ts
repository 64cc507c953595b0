import { raceSignal } from '../async/race-signal.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { listedAnswer, listedBefore, showsAll, type TextIn } from './listed-answer.ts';
import type { Exchange, NamedText, RowChange, Rows, TokenFloor } from './rows.ts';

/** All rows of a store, as they were at one instant. */
export interface Listing {
  /** The texts, by the names of their rows. */
  readonly rows: ReadonlyMap<string, string>;
  /**
   * Which history of the store this is, such as the identity of a directory. Another one shows that
   * acknowledged changes may be lost. Leave it out if the store has no such mark.
   */
  readonly history?: string | undefined;
  /**
   * Whether acknowledged changes may have been lost before this reader's first listing, as after a
   * restored backup. Later listings need not say it: the history shows it.
   */
  readonly isDoubted?: boolean;
}

/**
 * A store that lists its rows, and replaces each on a condition. Its methods need not settle when their
 * signal aborts: a request that is given up may still take effect.
 */
export interface ListingStore {
  /** How error messages name the store. */
  readonly name: string;
  /** As in `Rows`. */
  readonly floor?: TokenFloor;
  /** As in `RowsTraits`. */
  readonly pollMs?: number;
  /** As in `RowsTraits`. The changes of an exchange share a limit of T/4. */
  readonly changesMax: number;
  /** As in `Rows`. */
  open?(signal: AbortSignal, mayCreate: boolean): Promise<void>;
  /** Reads all rows, with every change that was acknowledged before the call. */
  list(signal: AbortSignal): Promise<Listing>;
  /**
   * Makes the changes in their order, each in one atomic step, if its row holds the expected text.
   * Resolves with whether it did, for each; rejects if any outcome is unknown.
   */
  replace(changes: readonly RowChange[], signal: AbortSignal): Promise<readonly boolean[]>;
  /**
   * Reads all rows once more, after changes that others wait for: the answer then shows them, such as the
   * claim that begins a term, without another exchange. Resolves with `undefined` if the exchange has
   * little time left. Without this method the next exchange shows them.
   */
  listAgain?(signal: AbortSignal): Promise<Listing | undefined>;
  /** As in `Rows`. */
  listen?(wake: (rows?: readonly NamedText[]) => void, signal: AbortSignal): Promise<void>;
  /** As in `Rows`. */
  close(): void | Promise<void>;
}

/**
 * Returns the rows of a store that can only list and compare: an exchange is a listing, and then the
 * changes. A member begins a term once a second listing shows its claim: that of `listAgain`, or else of
 * the next exchange. It calls no method after `close`, and `close` once.
 */
export function pollRows(store: ListingStore): Rows {
  const { name, pollMs, changesMax, floor } = store;
  let isClosed = false;
  const call = <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    if (isClosed) throw new LeadershipError('closed', `${name}: it was closed`);
    signal.throwIfAborted();
    return raceSignal(request(), signal);
  };
  return {
    name,
    traits: { changesMax, readsFirst: true, ...(pollMs !== undefined && { pollMs }) },
    ...(floor && { floor }),
    open: async (signal, mayCreate) => store.open?.(signal, mayCreate),
    async exchange(request, signal) {
      const { changes } = request;
      const listing = await call(() => store.list(signal), signal);
      if (isOfOtherHistory(request, listing))
        return listedAnswer(listing, request, undefined, textIn);
      if (changes.length === 0) return listedAnswer(listing, request, [], textIn);
      const outcomes = await call(() => store.replace(changes, signal), signal);
      const made = changes.filter((_, index) => outcomes[index]);
      const again = await call(() => listedAgain(store, listing, made, signal), signal);
      return listedAnswer(again ?? listing, request, outcomes, textIn);
    },
    ...(store.listen && { listen: async (...args) => store.listen?.(...args) }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await store.close();
    },
  };
}

/**
 * Returns a listing that goes on from the one before the changes, and shows all of them; `undefined` without
 * one. The changes are made, whatever becomes of this reading.
 */
async function listedAgain(
  store: ListingStore,
  before: Listing,
  made: readonly RowChange[],
  signal: AbortSignal,
): Promise<Listing | undefined> {
  const isWaitedFor = made.some(({ isAwaited, isAnnounced }) => isAwaited || isAnnounced);
  if (store.listAgain === undefined || !isWaitedFor) return undefined;
  const again = await store.listAgain(signal).catch(() => undefined);
  if (again === undefined || again.history !== before.history) return undefined;
  return showsAll(made, again, textIn) ? again : undefined;
}

const textIn: TextIn<Listing> = ({ rows }, name) => rows.get(name) ?? null;

/** Returns whether a listing shows that acknowledged changes may be lost. */
function isOfOtherHistory(request: Exchange, { history, isDoubted }: Listing): boolean {
  const before = listedBefore<Listing>(request);
  if (before === undefined) return isDoubted === true;
  return before.history !== undefined && before.history !== history;
}
