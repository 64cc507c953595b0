// Reads all items of the group at once and reports what changed. Reads do not overlap, and members
// read consistently. A later read is never older than an earlier one, unless the store itself went
// back (L11).
import { LeadershipError } from '@leadership/core';
import type { Instant, TimeoutOptions } from '@leadership/core/adapter';
import { type LedgerNews, pinRegister } from '@leadership/core/adapter';
import { withResponseTimeout } from '../client/response-timeout.ts';
import {
  guaranteeField,
  homeRegionField,
  type Item,
  keys,
  memberItemKind,
  partitionsField,
  registerItem,
  textIn,
} from './layout.ts';
import { type MemberItem, memberItemsIn } from './member-items.ts';
import { begin } from './put.ts';
import { type Place, type Row, rowOf } from './row.ts';
import type { Store } from './store.ts';

/** The inputs of the reader besides the store. */
export interface Reading {
  /** This member's configuration of the group. It must match the pin. */
  readonly partitions: number;
  readonly thresholdMsMax: number;
  /** Whether to create missing registers. Observers leave that to members. */
  readonly begins: boolean;
}

/** The number of names of foreign items that are remembered, so that each is counted once. */
const foreignMax = 256;
/**
 * The number of registers that are created before the group is read again: other members create
 * registers too.
 */
const begunPerRound = 64;
/**
 * The number of these requests in flight. Preparing one takes the SDK about half a millisecond, so
 * this many in one turn of the event loop do not delay a renewal.
 */
const begunAtOnce = 16;
/**
 * Extra rounds for registers that are deleted during creation. More deletions than that cannot be a
 * coincidence.
 */
const spareRounds = 3;

/** Reads the registers and the members' items of a group, and remembers what it has read. */
export class Reader {
  readonly #store: Store;
  readonly #reading: Reading;
  readonly #places: readonly Place[];
  readonly #rows = new Map<number, Row | undefined>();
  readonly #foreign = new Set<string>();
  #memberItems: readonly MemberItem[] = [];
  #forgotten = new Set<number>();

  constructor(store: Store, reading: Reading, partitions: readonly number[]) {
    this.#store = store;
    this.#reading = reading;
    this.#places = partitions.map((partition) => ({
      group: store.group,
      partition,
      thresholdMsMax: reading.thresholdMsMax,
    }));
  }

  /** Returns the register as it was last read. */
  row(partition: number): Row | undefined {
    return this.#rows.get(partition);
  }

  /** Makes the next read report this register as if it were new (L12). */
  forget(partition: number): void {
    this.#forgotten.add(partition);
  }

  /**
   * Reads the group and returns what changed since the last read. A register that was not read
   * before is returned with its record, if any, and an `end`.
   */
  async read(until: AbortSignal): Promise<readonly LedgerNews[]> {
    const again = this.#forgotten;
    this.#forgotten = new Set();
    try {
      const items = await this.#items(until);
      return this.#tell(items, again, this.#store.clock.now());
    } catch (error) {
      for (const partition of again) this.#forgotten.add(partition);
      throw error;
    }
  }

  /** Reads all items by name. First creates the missing registers that this member may create. */
  async #items(until: AbortSignal): Promise<Map<string, Item>> {
    if (this.#reading.begins) return this.#itemsBegun(until);
    const seen = await this.#query(until, false);
    // An eventually consistent read may be older than the one before. If so, read consistently.
    return this.#isOlder(seen) ? this.#query(until, true) : seen;
  }

  async #query(until: AbortSignal, isConsistent: boolean): Promise<Map<string, Item>> {
    const { table, group } = this.#store;
    const items = await withResponseTimeout(table, this.#patience(until), (signal) =>
      table.items(group, signal, isConsistent),
    );
    return new Map(items.map((item) => [textIn(item, keys.item) ?? '', item]));
  }

  #patience(until: AbortSignal): TimeoutOptions {
    const { clock, limitMs, openingMs } = this.#store;
    return { clock, limitMs: this.#rows.size === 0 ? openingMs : limitMs, signal: until };
  }

  #isOlder(items: ReadonlyMap<string, Item>): boolean {
    return this.#places.some((place) => {
      if (!this.#rows.has(place.partition)) return false;
      const item = items.get(registerItem(place.partition));
      const [row, before] = [item && rowOf(place, item), this.#rows.get(place.partition)];
      return !isSame(row, before) && !succeeds(row, before);
    });
  }

  /**
   * Reads all items. Creates the pin first, and the other registers once the pin matches this
   * member.
   */
  async #itemsBegun(until: AbortSignal): Promise<Map<string, Item>> {
    const { table, group } = this.#store;
    const roundsMax = Math.ceil(this.#places.length / begunPerRound) + spareRounds;
    for (let round = 0; ; round += 1) {
      const byName = await this.#query(until, true);
      const missing = this.#beginnable(byName);
      if (missing.length === 0) return byName;
      if (round > roundsMax)
        throw new LeadershipError(
          'unreachable',
          `table "${table.name}": items of group "${group}" are deleted as fast as they are created; stop whatever deletes them`,
        );
      await this.#beginAll(missing.slice(0, begunPerRound), until);
    }
  }

  async #beginAll(places: readonly Place[], until: AbortSignal): Promise<void> {
    const { table } = this.#store;
    const { partitions } = this.#reading;
    // All loops take from one iterator: each register is created once.
    const left = places.values();
    const createNext = async (): Promise<void> => {
      for (const { partition } of left)
        await withResponseTimeout(table, this.#patience(until), (signal) =>
          begin(this.#store, partition, partitions, signal),
        );
    };
    await Promise.all(Array.from({ length: begunAtOnce }, createNext));
  }

  /** Returns the missing registers that this member may create: the pin first. */
  #beginnable(items: ReadonlyMap<string, Item>): readonly Place[] {
    const missing = this.#places.filter(({ partition }) => !items.has(registerItem(partition)));
    const pin = missing.find(({ partition }) => partition === pinRegister);
    return pin ? [pin] : this.#agrees(items) ? missing : [];
  }

  /**
   * Whether the pin, or its genesis, matches this member's configuration. True if no pin is read.
   */
  #agrees(items: ReadonlyMap<string, Item>): boolean {
    const place = this.#places.find(({ partition }) => partition === pinRegister);
    const item = place && items.get(registerItem(pinRegister));
    if (place === undefined || item === undefined) return true;
    const { partitions, thresholdMsMax } = this.#reading;
    const { record } = rowOf(place, item);
    if (record === null)
      return (item[partitionsField]?.N ?? String(partitions)) === String(partitions);
    // An unreadable pin has no metadata, so it never matches.
    const { metadata } = record;
    const isAlike =
      metadata?.['partitions'] === String(partitions) &&
      metadata['thresholdMsMax'] === String(thresholdMsMax);
    const { guarantee, homeRegion } = this.#store;
    if (otherRegion(item, homeRegion) !== undefined) return false;
    return isAlike && (textIn(item, guaranteeField) ?? 'exclusive') === guarantee;
  }

  #tell(
    items: Map<string, Item>,
    again: ReadonlySet<number>,
    readAt: Instant,
  ): readonly LedgerNews[] {
    this.#memberItems = memberItemsIn([...items.values()], this.#memberItems, readAt);
    this.#store.memberItems.set(this.#memberItems);
    if (this.#agrees(items)) this.#store.admission.set(true);
    const news = this.#places.flatMap((place) => {
      const item = items.get(registerItem(place.partition));
      items.delete(registerItem(place.partition));
      return this.#news(place, item && rowOf(place, item), again.has(place.partition), readAt);
    });
    return [...this.#countForeign(items.keys()), ...news];
  }

  #news(
    place: Place,
    row: Row | undefined,
    isForgotten: boolean,
    readAt: Instant,
  ): readonly LedgerNews[] {
    const { partition } = place;
    const isFirst = !this.#rows.has(partition);
    const before = this.#rows.get(partition);
    if (!isFirst && !isForgotten && isSame(row, before)) return [];
    this.#rows.set(partition, row);
    const found = tell(row, this.#store, readAt);
    const end: LedgerNews = { kind: 'end', partitions: [partition] };
    if (isFirst) return [...found, end];
    if (isForgotten || !succeeds(row, before))
      return [{ kind: 'restarted', partition }, ...found, end];
    return found;
  }

  #countForeign(names: Iterable<string>): readonly LedgerNews[] {
    const foreign = [...names].filter(
      (name) => memberItemKind(name) === undefined && !this.#foreign.has(name),
    );
    const fresh = foreign.slice(0, foreignMax - this.#foreign.size);
    for (const name of fresh) this.#foreign.add(name);
    return fresh.map(() => ({ kind: 'ignored', what: 'foreign-item' }));
  }
}

function isSame(row: Row | undefined, before: Row | undefined): boolean {
  return row?.life === before?.life && row?.record?.id === before?.record?.id;
}

/**
 * Whether `row` came after `before` in one life of the register. If not, the store went back: the
 * register was deleted or replaced (L11).
 */
function succeeds(row: Row | undefined, before: Row | undefined): boolean {
  if (row === undefined || row.life !== before?.life) return false;
  return (
    row.record !== null &&
    (before?.record === null || (before !== undefined && row.record.height > before.record.height))
  );
}

/** Returns the news that a row contains. */
function tell(row: Row | undefined, store: Store, receivedAt: Instant): readonly LedgerNews[] {
  if (row === undefined || row.record === null) return [];
  const { record, strange } = row;
  if (record.partition === pinRegister) checkPin(row, store);
  const told: LedgerNews = { kind: 'record', record, receivedAt };
  return strange ? [{ kind: 'ignored', what: 'unreadable-item' }, told] : [told];
}

/**
 * Rejects a pin that is unreadable, or names another guarantee or home region. A pin never changes,
 * so waiting cannot help.
 */
function checkPin({ item, strange }: Row, { table, group, guarantee, homeRegion }: Store): void {
  const refuse = (why: string): never => {
    throw new LeadershipError('misconfigured-backend', `table "${table.name}": ${why}`);
  };
  if (strange)
    refuse(
      `the pin of group "${group}" is unreadable: stop all members, delete the group's items, and start them again`,
    );
  const pinned = textIn(item, guaranteeField) ?? 'exclusive';
  if (pinned !== guarantee)
    refuse(
      `group "${group}" runs with guarantee "${pinned}", but this member is configured with "${guarantee}"; use the same guarantee for all members`,
    );
  const other = otherRegion(item, homeRegion);
  if (other !== undefined)
    refuse(
      `group "${group}" runs with homeRegion "${other}", but this member is configured with "${homeRegion}"; use the same homeRegion for all members, because each region of a global table elects a leader of its own`,
    );
}

/**
 * Returns the pinned home region if it differs. A global table replicates the pin, so one of two
 * members in different regions reads the pin of the other.
 */
function otherRegion(item: Item, homeRegion: string | undefined): string | undefined {
  const pinned = textIn(item, homeRegionField);
  return pinned === undefined || homeRegion === undefined || pinned === homeRegion
    ? undefined
    : pinned;
}
