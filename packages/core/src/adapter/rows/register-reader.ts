// Reads all rows of the group at once and reports what changed. Reads do not overlap, and members
// read consistently. A later read is never older than an earlier one, unless the store itself went
// back (L11).
import { LeadershipError } from '../../contract/leadership-error.ts';
import type { LedgerEvent } from '../../ledger/ledger.ts';
import { pinRegister } from '../../ledger/record.ts';
import type { Instant } from '../../time/instant.ts';
import { type MemberRow, memberRowsIn } from './member-rows.ts';
import { memberRowKind, registerRowName } from './names.ts';
import { checkPin, matchesPin } from './pin-check.ts';
import {
  genesisText,
  type Place,
  type RegisterRow,
  registerRow,
  succeeds,
} from './register-row.ts';
import { listRows, replaceRow, type TableStore } from './table-store.ts';

/** The number of names of foreign rows that are remembered, so that each is counted once. */
const foreignMax = 256;
/**
 * The number of registers that are created before the group is read again: other members create
 * registers too.
 */
const begunPerRound = 64;
/**
 * The number of these requests in flight. Preparing one takes the AWS SDK, the slowest client so
 * far, about half a millisecond, so this many in one turn of the event loop do not delay a renewal.
 */
const begunAtOnce = 16;
/**
 * Extra rounds for registers that are deleted during creation. More deletions than that cannot be a
 * coincidence.
 */
const spareRounds = 3;

/** Reads the registers and the members' rows of a group, and remembers what it has read. */
export class RegisterReader {
  readonly #store: TableStore;
  readonly #prepare: (until: AbortSignal) => Promise<void>;
  readonly #places: readonly Place[];
  readonly #rows = new Map<number, RegisterRow | undefined>();
  readonly #foreign = new Set<string>();
  #memberRows: readonly MemberRow[] = [];
  #forgotten = new Set<number>();

  /** `prepare` is called before this member creates registers; it creates what they need. */
  constructor(
    store: TableStore,
    prepare: (until: AbortSignal) => Promise<void>,
    partitions: readonly number[],
  ) {
    const { group, thresholdMsMax } = store.options;
    this.#store = store;
    this.#prepare = prepare;
    this.#places = partitions.map((partition) => ({ group, partition, thresholdMsMax }));
  }

  /** Returns the register as it was last read. */
  row(partition: number): RegisterRow | undefined {
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
  async read(until: AbortSignal): Promise<readonly LedgerEvent[]> {
    const again = this.#forgotten;
    this.#forgotten = new Set();
    try {
      const rows = await this.#readRows(until);
      return this.#updatesIn(rows, again, this.#store.clock.now());
    } catch (error) {
      for (const partition of again) this.#forgotten.add(partition);
      throw error;
    }
  }

  /**
   * Returns what changed by rows that notifications have delivered; `undefined` if only a read can
   * tell. `known` returns a register as the engine knows it.
   */
  deliver(
    rows: ReadonlyMap<string, string>,
    known: (partition: number) => RegisterRow | undefined,
  ): readonly LedgerEvent[] | undefined {
    const { clock, host, mayDeliver } = this.#store;
    const accepted = this.#places.flatMap((place) => {
      const [row, before] = [this.#rowAt(place, rows), known(place.partition)];
      if (row === undefined || before === undefined) return [];
      const isKnown = !this.#forgotten.has(place.partition);
      return isKnown && mayDeliver(row, before, host.incarnation) ? [{ place, row }] : [];
    });
    if (accepted.length < rows.size) return undefined;
    return accepted.flatMap(({ place, row }) => this.#eventsOf(place, row, false, clock.now()));
  }

  /**
   * Reads all rows. A candidate first creates the missing registers that it may create; an observer
   * creates nothing.
   */
  async #readRows(until: AbortSignal): Promise<ReadonlyMap<string, string>> {
    if (this.#store.isCandidate) return this.#readBegun(until);
    const rows = await this.#list(until, true);
    // A read that may lag may be older than the one before. If so, read consistently.
    return this.#isOlder(rows) ? this.#list(until, false) : rows;
  }

  #list(until: AbortSignal, mayLag: boolean): Promise<ReadonlyMap<string, string>> {
    const { limitMs, openingMs } = this.#store;
    return listRows(this.#store, this.#rows.size === 0 ? openingMs : limitMs, mayLag, until);
  }

  #isOlder(rows: ReadonlyMap<string, string>): boolean {
    return this.#places.some((place) => {
      if (!this.#rows.has(place.partition)) return false;
      const [row, before] = [this.#rowAt(place, rows), this.#rows.get(place.partition)];
      return !isSame(row, before) && !succeeds(row, before);
    });
  }

  /**
   * Reads all rows. Creates the pin first, and the other registers once the pin matches this
   * member.
   */
  async #readBegun(until: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const { rows: store, options } = this.#store;
    await this.#prepare(until);
    const roundsMax = Math.ceil(this.#places.length / begunPerRound) + spareRounds;
    for (let round = 0; ; round += 1) {
      const rows = await this.#list(until, false);
      const missing = this.#beginnable(rows);
      if (missing.length === 0) return rows;
      if (round > roundsMax) {
        const sentence = `rows of group "${options.group}" are deleted as fast as they are created; stop whatever deletes them`;
        throw new LeadershipError('unreachable', `${store.name}: ${sentence}`);
      }
      await this.#beginAll(missing.slice(0, begunPerRound), until);
    }
  }

  async #beginAll(places: readonly Place[], until: AbortSignal): Promise<void> {
    // All loops take from one iterator: each register is created once.
    const left = places.values();
    const createNext = async (): Promise<void> => {
      for (const { partition } of left) await this.#begin(partition, until);
    };
    await Promise.all(Array.from({ length: begunAtOnce }, createNext));
  }

  /** Creates a life of a missing register. Another member may be faster. */
  async #begin(partition: number, until: AbortSignal): Promise<void> {
    const store =
      this.#rows.size === 0 ? { ...this.#store, limitMs: this.#store.openingMs } : this.#store;
    const text = genesisText(store.newLife(), partition, store.options.partitions);
    await replaceRow(
      store,
      { name: registerRowName(partition), expected: null, text, isAwaited: false },
      until,
    );
  }

  /** Returns the missing registers that this member may create: the pin first. */
  #beginnable(rows: ReadonlyMap<string, string>): readonly Place[] {
    const missing = this.#places.filter(({ partition }) => !rows.has(registerRowName(partition)));
    const pin = missing.find(({ partition }) => partition === pinRegister);
    return pin ? [pin] : this.#matches(rows) ? missing : [];
  }

  /** Whether the pin, or its genesis, matches this member's options. True if no pin is read. */
  #matches(rows: ReadonlyMap<string, string>): boolean {
    const place = this.#places.find(({ partition }) => partition === pinRegister);
    const row = place && this.#rowAt(place, rows);
    return row === undefined || matchesPin(row, this.#store.options);
  }

  #updatesIn(
    rows: ReadonlyMap<string, string>,
    again: ReadonlySet<number>,
    readAt: Instant,
  ): readonly LedgerEvent[] {
    const written = [...rows].filter(([name]) => memberRowKind(name) !== undefined);
    this.#memberRows = memberRowsIn(written, this.#memberRows, readAt);
    this.#store.memberRows.set(this.#memberRows);
    if (this.#matches(rows)) this.#store.admission.set(true);
    const events = this.#places.flatMap((place) =>
      this.#eventsOf(place, this.#rowAt(place, rows), again.has(place.partition), readAt),
    );
    return [...this.#countForeign(rows.keys()), ...events];
  }

  #eventsOf(
    { partition }: Place,
    row: RegisterRow | undefined,
    isForgotten: boolean,
    readAt: Instant,
  ): readonly LedgerEvent[] {
    const isFirst = !this.#rows.has(partition);
    const before = this.#rows.get(partition);
    if (!isFirst && !isForgotten && isSame(row, before)) return [];
    this.#rows.set(partition, row);
    const found = this.#recordEvents(row, readAt);
    const end: LedgerEvent = { kind: 'end', partitions: [partition] };
    if (isFirst) return [...found, end];
    if (isForgotten || !succeeds(row, before))
      return [{ kind: 'restarted', partition }, ...found, end];
    return found;
  }

  #recordEvents(row: RegisterRow | undefined, receivedAt: Instant): readonly LedgerEvent[] {
    if (row === undefined || row.record === null) return [];
    const { rows, options } = this.#store;
    if (row.record.partition === pinRegister) checkPin(row, rows.name, options);
    const event: LedgerEvent = { kind: 'record', record: row.record, receivedAt };
    return row.isStrange ? [{ kind: 'ignored', what: 'unreadable-row' }, event] : [event];
  }

  /** Interprets the row of a register. A row that reads the same, as most do, is not parsed. */
  #rowAt(place: Place, rows: ReadonlyMap<string, string>): RegisterRow | undefined {
    const text = rows.get(registerRowName(place.partition));
    const known = this.#rows.get(place.partition);
    if (text === undefined) return undefined;
    return text === known?.text ? known : registerRow(place, text);
  }

  #countForeign(names: Iterable<string>): readonly LedgerEvent[] {
    const registers = new Set(this.#places.map(({ partition }) => registerRowName(partition)));
    const isForeign = (name: string): boolean =>
      !registers.has(name) && memberRowKind(name) === undefined && !this.#foreign.has(name);
    const fresh = [...names].filter(isForeign).slice(0, foreignMax - this.#foreign.size);
    for (const name of fresh) this.#foreign.add(name);
    return fresh.map(() => ({ kind: 'ignored', what: 'foreign-row' }));
  }
}

/** Texts are unique, so equal texts are the same version. */
function isSame(row: RegisterRow | undefined, before: RegisterRow | undefined): boolean {
  return row?.text === before?.text;
}
