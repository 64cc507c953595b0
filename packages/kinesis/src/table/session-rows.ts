// The rows of the lease by session as items of a DynamoDB table. A table cannot say what has changed, and
// it is charged by what is read. So an exchange reads the head: all rows but those of the partitions.
// These are read if the head shows that they may have changed:
// - A member counts its changes of them in the item of its session. The renewal with the next count is
//   written before the changes, and it is open: every reading of the head then asks for these rows too,
//   until a later renewal closes it.
// - A row of a partition is created in one transaction with the mark, an item of the head.
import type { LeadershipError } from '@leadership/core';
import {
  type Exchange,
  type Exchanged,
  type Inspection,
  type Instant,
  type NamedText,
  type RowChange,
  type Rows,
  type ServerRows,
  serverRows,
  sleep,
} from '@leadership/core/adapter';
import { after, longAgo } from '@leadership/core/internal/engine';
import { isThrottled, toError } from '../errors.ts';
import {
  changesField,
  headFrom,
  type Item,
  isOwnership,
  itemNameOf,
  keys,
  ownershipPrefix,
  rowNameOf,
  textField,
  textIn,
} from './layout.ts';
import type { Notifications } from './notifications.ts';
import { prepare } from './prepare.ts';
import { Presence } from './presence.ts';
import type { Store } from './store.ts';
import { nameIn, Texts } from './texts.ts';

/** The configuration of the rows that is not part of the store. */
export interface SessionRowsOptions {
  /** The longest T of a member of the group. Milliseconds. */
  readonly thresholdMsMax: number;
  /** Whether a candidate creates a missing table. */
  readonly create: boolean;
  readonly notifications: Notifications;
  /** Closes the connections, once no request is pending. */
  readonly close: () => void;
}

/** The name of the row with the mark: a text that is new with every new life of a row of a partition. */
const markName = 'partitions';

/** Changes are requests of their own, at the same time, and T/4 is the limit of all. */
const changesMax = 99;

/** A transaction takes that many rows beside the mark. */
const createdMax = 99;

/** All rows of partitions are read that often, whatever the head shows. In T_max. */
const readAllThresholds = 10;

/** The longest extra pause after a throttled write, in T, so that members do not repeat it together. */
const throttledThresholds = 1 / 24;

/** How a count of changes begins that is open. */
const open = '+';

/** Returns the rows of a group in a DynamoDB table. */
export function sessionRows(store: Store, options: SessionRowsOptions): Rows {
  const { host, thresholdMs } = store;
  const { notifications } = options;
  const rows = serverRows(new DynamoRows(store, options), {
    host,
    thresholdMs,
    notifications: false,
    toError,
  });
  return {
    ...rows,
    async exchange(request, signal) {
      const answer = await rows.exchange(request, signal);
      const { outcomes } = answer;
      const isNews = request.changes.some(
        ({ isAwaited, isAnnounced }, index) => (isAwaited || isAnnounced) && outcomes[index],
      );
      if (isNews) notifications.notify();
      return answer;
    },
    listen: (wake, signal) => notifications.listen(wake, signal),
  };
}

/** The rows of a kind, by name. */
type Texted = ReadonlyMap<string, string>;

/** A reading of the head. */
interface Head {
  readonly head: Texted;
  /** The mark, and the counts of all sessions: if these differ, rows of partitions may differ too. */
  readonly counts: string;
  readonly isOpen: boolean;
}

/** A reading of all rows. */
interface Reading extends Head {
  readonly ownership: Texted;
  /** When the last reading of all rows of partitions began, and of those that this member owns. */
  readonly allAt: Instant;
  readonly ownAt: Instant;
}

/** Where a reader is: the rows that it has read. */
interface Position extends Reading {
  /** The names of the rows that the reader has changed since: the next answer shows them all. */
  readonly changed: readonly string[];
}

class DynamoRows implements ServerRows {
  readonly name: string;
  readonly traits = { changesMax, readsFirst: true } as const;
  readonly #store: Store;
  readonly #options: SessionRowsOptions;
  readonly #texts = new Texts();
  readonly #presence: Presence;
  /** The number of exchanges that changed rows of partitions. */
  #changes = 0;
  /** Until when a change of them may take effect that was given up. */
  #openUntil: Instant = longAgo;

  constructor(store: Store, options: SessionRowsOptions) {
    this.name = `table "${store.table.name}"`;
    this.#store = store;
    this.#options = options;
    this.#presence = new Presence(store.clock, store.thresholdMs);
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    const { table, clock, openingMs, thresholdMs, homeRegion } = this.#store;
    const ifMissing = mayCreate ? (this.#options.create ? 'create' : 'refuse') : 'wait';
    // Less than the limit of all: the error of this one names what the answer waits for.
    const timeout = { clock, limitMs: 0.9 * openingMs, signal };
    // A member renews its session, however many partitions it owns.
    const use = { renewals: 1, thresholdMs, homeRegion };
    const { isThere, shortcoming } = await prepare(table, { use, ifMissing, timeout });
    return { isMissing: !isThere, weakness: shortcoming };
  }

  async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    const { clock, host, thresholdMs } = this.#store;
    try {
      return await this.#exchange(request, signal);
    } catch (error) {
      if (isThrottled((error as LeadershipError).cause))
        await sleep(clock, throttledThresholds * thresholdMs * host.random(), signal);
      throw error;
    }
  }

  async close(): Promise<void> {
    const { busy, clock, thresholdMs } = this.#store;
    const { notifications, close } = this.#options;
    // The notification of the last release may be under way.
    await busy.settled(clock, thresholdMs);
    notifications.close();
    close();
  }

  async #exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    const since = request.since as Position | undefined;
    const isWhole = since === undefined || request.isWhole === true;
    const read = await this.#read(since, isWhole, signal);
    this.#store.seen(this.#presence.read(read.head));
    const rows = isWhole ? [...read.head, ...read.ownership] : differences(since, read);
    const outcomes = await this.#change(request.changes, signal);
    const position: Position = { ...read, changed: request.changes.map(({ name }) => name) };
    return { outcomes, rows, position, isWhole };
  }

  /** Reads the head, and then the rows of partitions that may have changed. */
  async #read(
    since: Position | undefined,
    isWhole: boolean,
    signal: AbortSignal,
  ): Promise<Reading> {
    const { table, group, clock } = this.#store;
    const { thresholdMsMax } = this.#options;
    const now = clock.now();
    const read = this.#headOf(await table.items(group, signal, { range: { from: headFrom } }));
    const isChanged = read.isOpen || read.counts !== since?.counts;
    const isDue = now >= after(since?.allAt ?? longAgo, readAllThresholds * thresholdMsMax);
    const own =
      since !== undefined && now >= after(since.ownAt, thresholdMsMax)
        ? this.#ownedIn(since.ownership)
        : [];
    if (
      since === undefined ||
      isWhole ||
      isChanged ||
      isDue ||
      isAllCheaper(own, since.ownership)
    ) {
      const range = { prefix: ownershipPrefix };
      const ownership = this.#textsOf(await table.items(group, signal, { range }));
      return { ...read, ownership, allAt: now, ownAt: now };
    }
    if (own.length === 0) return { ...since, ...read };
    const ownership = await this.#reread(own, since.ownership, signal);
    return { ...since, ...read, ownership, ownAt: now };
  }

  /** Returns the names of the rows that name a session of this member. */
  #ownedIn(ownership: Texted): readonly string[] {
    const owner = `"session":"${this.#store.host.incarnation}/`;
    return [...ownership].filter(([, text]) => text.includes(owner)).map(([name]) => name);
  }

  #headOf(items: readonly Item[]): Head {
    const head = this.#textsOf(items);
    const counts = items.flatMap((item) => textIn(item, changesField) ?? []);
    const isOpen = counts.some((count) => count.startsWith(open));
    const mark = head.get(markName);
    head.delete(markName);
    return { head, counts: [mark, ...counts].join(), isOpen };
  }

  /** Reads some rows again: a person may have changed them. */
  async #reread(names: readonly string[], known: Texted, signal: AbortSignal): Promise<Texted> {
    const { table, group } = this.#store;
    const read = this.#textsOf(await table.get(group, names, signal));
    const ownership = new Map(known);
    for (const name of names) ownership.delete(name);
    for (const [name, text] of read) ownership.set(name, text);
    return ownership;
  }

  #textsOf(items: readonly Item[]): Map<string, string> {
    const texts = new Map<string, string>();
    for (const item of items) {
      const name = rowNameOf(nameIn(item));
      if (name !== undefined) texts.set(name, this.#texts.of(item));
    }
    return texts;
  }

  /** Makes the changes: first those of the head, among them the renewal, and then those of partitions. */
  async #change(changes: readonly RowChange[], signal: AbortSignal): Promise<readonly boolean[]> {
    const made = new Set<RowChange>();
    const make = async (change: RowChange): Promise<void> => {
      // A signal of its own: Node warns of a leak where many requests listen to one.
      if (await this.#replace(change, AbortSignal.any([signal]))) made.add(change);
    };
    const ofHead = changes.filter(({ name }) => !isOwnership(name));
    const created = changes.filter(({ name, expected }) => isOwnership(name) && expected === null);
    const others = changes.filter(({ name, expected }) => isOwnership(name) && expected !== null);
    const { clock, thresholdMs } = this.#store;
    const openBefore = this.#openUntil;
    if (others.length > 0) {
      this.#changes += 1;
      this.#openUntil = after(clock.now(), thresholdMs);
    }
    await settled(ofHead.map(make));
    for (const one of await this.#create(created, signal)) made.add(one);
    // The other members look for changes at a session only.
    if (ofHead.some((change) => this.#isOwnSession(change) && made.has(change)))
      await settled(others.map(make));
    this.#openUntil = openBefore;
    return changes.map((change) => made.has(change));
  }

  async #replace(change: RowChange, signal: AbortSignal): Promise<boolean> {
    const { table, group } = this.#store;
    const { name, expected, text } = change;
    const item = itemNameOf(name);
    const condition = this.#texts.expected(item, expected);
    if (text === null) return (await table.remove(group, item, condition, signal)).done;
    const count = this.#isOwnSession(change) ? this.#count() : {};
    return (await table.put({ ...this.#itemOf(name, text), ...count }, condition, signal)).done;
  }

  #isOwnSession({ name, text }: RowChange): boolean {
    return text !== null && name.startsWith(`session#${this.#store.host.incarnation}/`);
  }

  /** Returns the count of changes, as the item of the session has it. */
  #count(): Item {
    if (this.#changes === 0) return {};
    const isOpen = this.#store.clock.now() < this.#openUntil;
    return { [changesField]: { S: `${isOpen ? open : ''}${this.#changes}` } };
  }

  /**
   * Creates rows of partitions, with the mark in one transaction: a member that leads by the row before
   * must see the new life within T_max, also if this member ends now (M5). Returns those created.
   */
  async #create(changes: readonly RowChange[], signal: AbortSignal): Promise<readonly RowChange[]> {
    const created: RowChange[] = [];
    for (let from = 0; from < changes.length; from += createdMax)
      created.push(...(await this.#createAll(changes.slice(from, from + createdMax), signal)));
    return created;
  }

  async #createAll(
    changes: readonly RowChange[],
    signal: AbortSignal,
  ): Promise<readonly RowChange[]> {
    const items = changes.map(({ name, text }) => this.#itemOf(name, text ?? ''));
    const mark = this.#itemOf(markName, crypto.randomUUID());
    const result = await this.#store.table.createAll(items, mark, signal);
    if (result === 'done') return changes;
    const missing = changes.filter((_, index) => result[index] !== true);
    // Without a row that exists, the transaction met another one: a later exchange repeats it.
    if (missing.length === changes.length || missing.length === 0) return [];
    return this.#createAll(missing, signal);
  }

  #itemOf(name: string, text: string): Item {
    const { group } = this.#store;
    const key = { [keys.group]: { S: group }, [keys.item]: { S: itemNameOf(name) } };
    return { ...key, [textField]: { S: text } };
  }
}

/** A query is charged for each 4 KiB of its result, and the reading of a row for 4 KiB. */
const unitBytes = 4096;
/** The bytes of an item beside its name and its text: the group, and the names of the attributes. */
const itemBytes = 40;

/** Returns whether a query of all rows costs less than the reading of these. */
function isAllCheaper(names: readonly string[], all: Texted): boolean {
  let bytes = 0;
  for (const [name, text] of all) bytes += name.length + text.length + itemBytes;
  return names.length > 1 && names.length * unitBytes > bytes;
}

/** Returns what differs between two readings, and what the reader has changed after the first one. */
function differences(before: Position, now: Reading): readonly NamedText[] {
  const names = new Set(before.changed);
  addDifferent(names, before.head, now.head);
  if (now.ownership !== before.ownership) addDifferent(names, before.ownership, now.ownership);
  return Array.from(names, (name): NamedText => {
    const texts = isOwnership(name) ? now.ownership : now.head;
    return [name, texts.get(name) ?? null];
  });
}

function addDifferent(names: Set<string>, before: Texted, now: Texted): void {
  for (const [name, text] of now) if (before.get(name) !== text) names.add(name);
  for (const name of before.keys()) if (!now.has(name)) names.add(name);
}

/** Waits for all requests. Rejects with the error of the first one that has failed. */
async function settled(requests: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(requests);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
