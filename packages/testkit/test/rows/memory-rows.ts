// Stores of rows in memory, and the ways in which they can be wrong.
import { LeadershipError } from '@leadership/core';
import {
  type Exchange,
  type Exchanged,
  type ListingStore,
  type NamedText,
  pollRows,
  type RowChange,
  type Rows,
} from '@leadership/core/adapter';
import { RowStore } from '@leadership/core/internal/rows';
import type { RowsStore } from '../../src/index.ts';

/** The rows of one group in memory, and what a wrong store keeps beside them. */
class Group {
  store = new RowStore();
  readonly listeners = new Set<(rows?: readonly NamedText[]) => void>();
  /** The state before each change, for stores that read an old one. */
  readonly olders: RowStore[] = [];

  /** The rows that are locked. */
  readonly locked = new Set<string>();

  exchange(request: Exchange): Exchanged {
    if (request.changes.length > 0) this.olders.push(this.store.copy());
    const changes = request.changes.map((change) =>
      this.locked.has(change.name) ? { ...change, expected: 'locked' } : change,
    );
    return this.store.exchange({ ...request, changes });
  }

  /** Locks a row. Returns what sets it and unlocks it. */
  begin(name: string, text: string): () => Promise<void> {
    this.locked.add(name);
    return async () => {
      this.store.put(name, text);
      this.locked.delete(name);
    };
  }

  /** Sets a row, and forgets that it has changed. */
  setSecretly(name: string, text: string | null): void {
    const rows = this.store.rows as Map<string, string>;
    if (text === null) rows.delete(name);
    else rows.set(name, text);
  }

  notify(): void {
    for (const wake of this.listeners) wake();
  }

  /** Shows the changes to all that listen. */
  show(changes: readonly RowChange[]): void {
    for (const wake of this.listeners) wake(changes.map(({ name, text }) => [name, text]));
  }
}

/** A request as it arrives at the store. */
interface Arrival {
  readonly group: Group;
  readonly request: Exchange;
  readonly signal: AbortSignal;
  /** All groups. */
  readonly all: Iterable<Group>;
}

interface Groups {
  (name: string): Group;
  readonly all: Iterable<Group>;
}

/** How a store in memory differs from a right one. */
export interface Flaws {
  /** Makes and reads differently. */
  exchange?(arrival: Arrival): Exchanged | Promise<Exchanged>;
  /** Returns the answer that arrives, in place of this one. */
  answer?(answer: Exchanged, arrival: Arrival): Exchanged;
  /** Returns the request that arrives, in place of this one. */
  request?(request: Exchange): Exchange;
  /** The group that a name stands for. */
  groupOf?(name: string): string;
  /** The rows of a member. */
  rows?(rows: Rows): Partial<Rows>;
  /** Notifies of changes that were made. */
  notify?(arrival: Arrival, news: readonly RowChange[]): void;
  /** Whether a member goes on listening after its signal. */
  readonly listensForEver?: boolean;
  /** The parts of the store that a test uses. */
  store?(store: RowsStore, groups: Groups): Partial<RowsStore>;
  /** Whether it is a store that lists, and reads first. */
  readonly lists?: boolean;
}

/** Takes a turn of the event loop. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Opens a store in memory, whose requests and answers take a turn of the event loop each. */
export function memoryRows(flaws: Flaws = {}): RowsStore {
  const groupOf = newGroups(flaws.groupOf);
  const muted = new WeakSet<Rows>();
  const open = (name: string, of: Groups): Rows => {
    const member = { of, name, flaws, isMuted: () => muted.has(rows) };
    const right = flaws.lists ? listingRows(member) : exchangeRows(member);
    const rows: Rows = { ...right, ...flaws.rows?.(right) };
    return rows;
  };
  const store: RowsStore = {
    name: 'memory',
    openRows: (name) => open(name, groupOf),
    holdsNul: true,
    notifies: true,
    lags: true,
    put: async (group, name, text) => groupOf(group).store.put(name, text),
    begin: async (group, name, text) => groupOf(group).begin(name, text),
    locks: true,
    loseReplies(rows) {
      muted.add(rows);
      return { [Symbol.dispose]: () => void muted.delete(rows) };
    },
    async restore(during) {
      const backups = [...groupOf.all].map((group) => [group, [...group.store.rows]] as const);
      await during();
      for (const [group, rows] of backups) group.store.restore(rows);
    },
    async promote(during) {
      const replicas = [...groupOf.all].map((group) => [group, group.store.copy()] as const);
      await during();
      for (const [group, replica] of replicas) {
        replica.restore([...replica.rows]);
        group.store = replica;
      }
    },
    elsewhere() {
      const others = newGroups();
      return (name) => open(name, others);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { ...store, ...flaws.store?.(store, groupOf) };
}

function newGroups(keyOf: (name: string) => string = (name) => name): Groups {
  const groups = new Map<string, Group>();
  const of = (name: string): Group => {
    const group = groups.get(keyOf(name)) ?? new Group();
    groups.set(keyOf(name), group);
    return group;
  };
  return Object.assign(of, { all: { [Symbol.iterator]: () => groups.values() } });
}

interface Member {
  readonly of: Groups;
  readonly name: string;
  readonly flaws: Flaws;
  isMuted(): boolean;
}

/** Returns whether others are notified of the change. */
function isNews({ isAwaited = false, isAnnounced = false }: RowChange): boolean {
  return isAwaited || isAnnounced;
}

/** Shows what is announced, and wakes for what is awaited. */
export function notify({ group }: Pick<Arrival, 'group'>, news: readonly RowChange[]): void {
  group.show(news);
  if (news.some(({ isAwaited }) => isAwaited)) group.notify();
}

function exchangeRows({ of, name, flaws, isMuted }: Member): Rows {
  let isClosed = false;
  let woken: (() => void) | undefined;
  const group = (): Group => of(name);
  return {
    name: 'rows in memory',
    traits: { changesMax: 64 },
    async exchange(asked, signal) {
      if (isClosed) throw new LeadershipError('closed', 'the rows are closed');
      signal.throwIfAborted();
      await pause();
      const request = flaws.request?.(asked) ?? asked;
      const arrival: Arrival = { group: group(), request, signal, all: of.all };
      const answer = await (flaws.exchange?.(arrival) ?? group().exchange(request));
      const news = request.changes.filter(
        (change, index) => isNews(change) && answer.outcomes[index],
      );
      if (news.length > 0) (flaws.notify ?? notify)(arrival, news);
      await pause();
      if (isMuted()) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      return flaws.answer?.(answer, arrival) ?? answer;
    },
    async listen(wake, signal) {
      woken = wake;
      group().listeners.add(wake);
      if (!flaws.listensForEver)
        signal.addEventListener('abort', () => group().listeners.delete(wake));
    },
    close() {
      isClosed = true;
      if (woken) group().listeners.delete(woken);
    },
  };
}

/** Rows that are listed, and changed one by one. */
function listingRows({ of, name, isMuted }: Member): Rows {
  const group = of(name);
  let isClosed = false;
  const used = async (): Promise<void> => {
    if (isClosed) throw new LeadershipError('closed', 'the rows are closed');
    await pause();
  };
  const store: ListingStore = {
    name: 'rows in memory',
    changesMax: 32,
    async list() {
      await used();
      return { rows: new Map(group.store.rows), history: String(group.store.history) };
    },
    async replace(changes, signal) {
      const outcomes: boolean[] = [];
      for (const change of changes) {
        await used();
        const isMade = !group.locked.has(change.name) && group.store.change(change);
        if (isMade && isNews(change)) group.notify();
        if (isMuted()) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await pause();
        signal.throwIfAborted();
        outcomes.push(isMade);
      }
      return outcomes;
    },
    async listen(wake, signal) {
      group.listeners.add(wake);
      signal.addEventListener('abort', () => group.listeners.delete(wake));
    },
    close() {
      isClosed = true;
    },
  };
  return pollRows(store);
}
