// A log as rows, as a pure machine. Nothing is refused when a record is appended: each reader applies
// the records in order, and all decide alike which changes take effect. A reader begins where the log
// begins now. Unless that is offset 0, it has no rows until it has read a complete copy of them.
import {
  type BatchEntry,
  batchText,
  type CopyEntry,
  copyTexts,
  type LogEntry,
  parseEntry,
  type ResetEntry,
  resetText,
} from './log-entries.ts';
import { type LogRules, logRules } from './log-rules.ts';
import { RowStore } from './row-store.ts';
import type { Exchange, Exchanged, RowChange } from './rows.ts';

/** A record of a log. */
export interface LogRecord {
  readonly offset: number;
  /** The leader epoch in which it was appended. It identifies the record together with the offset. */
  readonly epoch: number;
  /** `undefined`: the record is not an entry, but it has an offset. */
  readonly text: string | undefined;
}

/** The part of a log that a fetch showed at one instant. */
export interface Fetched {
  /** The offset of the request; `undefined`: the beginning of the log. */
  readonly from: number | undefined;
  /** The offset at which the log begins, and the one after its last record. */
  readonly start: number;
  readonly end: number;
  /** The records from there on; at least two, if there are two, so that one is new. A gap is a loss. */
  readonly records: readonly LogRecord[];
}

/** The answer to an own request; without one, its outcome is unknown. */
export interface Settled {
  readonly id: string;
  readonly answer: Exchanged | undefined;
}

interface Pending {
  readonly request: Omit<Exchange, 'mayLag'>;
  /** The own entry. */
  readonly text?: string;
  /** It is answered once that offset is read, with no change made; `undefined`: at its own entry. */
  until: number | undefined;
}

/** A record that was read. */
interface Read {
  readonly record: LogRecord;
  readonly entry: LogEntry | undefined;
}

/** Parts of a copy that were read. */
interface Parts {
  readonly upTo: number;
  readonly found: Map<number, CopyEntry>;
}

/** Options of a {@link LogFold}. */
export interface LogFoldOptions {
  /** Entries after which one of the members appends a copy. All members must have the same. */
  readonly copyEvery?: number;
  /** The longest part of a copy. Characters. */
  readonly partLength?: number;
  readonly rules?: LogRules;
}

/** One reader of a log. */
export class LogFold {
  readonly #store = new RowStore();
  readonly #rules: LogRules;
  readonly #copyEvery: number;
  readonly #partLength: number;
  /** The offset of the next record; `undefined`: the beginning of the log. */
  #at: number | undefined;
  #epoch = -1;
  #last: LogRecord | undefined;
  #hasRows = false;
  /** Whether the last answer of the log was read to its end. */
  #isAtEnd = false;
  /** The latest records, without gaps: those to bring a copy forward. */
  #recent: Read[] = [];
  readonly #copies = new Map<string, Parts>();
  readonly #pending = new Map<string, Pending>();
  /** The offset from which on the sender of the next entry appends a copy. */
  #copyAt = 0;
  /** Up to where the last complete copy has the rows. */
  #copied: number | undefined;
  #ownCopy: string | undefined;
  #changed: RowChange[] = [];

  /** Whether the own entry was the one whose sender appends a copy. */
  isCopyDue = false;
  /** The offset below which this reader may cut the log; its own copy has just been read back. */
  cutBelow: number | undefined;

  constructor({ copyEvery = 1_000, partLength = 200_000, rules = logRules }: LogFoldOptions = {}) {
    this.#copyEvery = copyEvery;
    this.#partLength = partLength;
    this.#rules = rules;
  }

  /**
   * The offset to fetch from: that of the last record. With each answer it shows that the log is still
   * the one that was read: others may have replaced as many records as were lost, and a log that was
   * deleted and created again has the same name. `undefined`: the beginning of the log.
   */
  get from(): number | undefined {
    return this.#last?.offset ?? this.#at;
  }

  /** The offset of the next record. */
  get next(): number | undefined {
    return this.#at;
  }

  /** Whether the rows are known, up to the end of the log as it was last fetched. */
  get isReady(): boolean {
    return this.#hasRows && this.#isAtEnd;
  }

  /** Up to where the last complete copy has the rows, or the last entry that says that there are none. */
  get copied(): number | undefined {
    return this.#copied;
  }

  get rows(): ReadonlyMap<string, string> {
    return this.#store.rows;
  }

  /**
   * Returns the entry to append for an exchange, which is answered when the entry is read. Without an
   * entry nothing can be changed: then the exchange is a reading.
   */
  entry(id: string, request: Pending['request']): string | undefined {
    if (request.changes.length === 0 || !this.#store.isKnown(request.since)) return undefined;
    const text = batchText(id, this.#epoch, request.changes);
    this.#pending.set(id, { request, text, until: undefined });
    return text;
  }

  /** Answers a request, without changes, once the log is read up to `end`. Returns what it can answer now. */
  reading(id: string, request: Pending['request'], end: number): readonly Settled[] {
    this.#pending.set(id, { request, until: end });
    return this.#settleReadings();
  }

  /** Forgets a request whose caller has given it up. */
  forget(id: string): void {
    this.#pending.delete(id);
  }

  /** Returns the changes that others have made since the last call. */
  takeChanged(): readonly RowChange[] {
    const changed = this.#changed;
    this.#changed = [];
    return changed;
  }

  /** Takes what the log has shown. Returns the answers to own requests. */
  take(fetched: Fetched): readonly Settled[] {
    const { from, start, end, records } = fetched;
    // The answer to a fetch from before the position was lost.
    if (from !== this.from) return [];
    if (this.#at === undefined) this.#begin(start);
    else if (start > (from ?? start)) return this.#lose();
    else if (end < this.#at) return this.#loseTail();
    // Without the last record, the answer proves nothing.
    if (this.#last !== undefined && records.length === 0) return [];
    // A broker that compacts the log has removed it: what followed it may be of another leader.
    if (this.#last !== undefined && records[0]?.offset !== this.#last.offset) return this.#lose();
    return this.#takeAll(fetched);
  }

  #takeAll({ end, records }: Fetched): readonly Settled[] {
    const settled: Settled[] = [];
    for (const record of records) {
      settled.push(...this.#next(record));
      if (this.#at === undefined) return settled;
    }
    this.#isAtEnd = (this.#at ?? 0) >= end;
    return [...settled, ...this.#settleReadings()];
  }

  /** Returns the entries of a copy, which the caller appends in order. */
  copy(id: string): readonly string[] {
    this.isCopyDue = false;
    if (!this.#hasRows) return [];
    this.#ownCopy = id;
    return copyTexts(id, this.#epoch, this.#at ?? 0, this.#store.rows, this.#partLength);
  }

  /** Returns an entry for a log in which the rows are lost: the whole log has no copy. */
  reset(): string | undefined {
    const isLost = !this.#hasRows && this.#isAtEnd;
    return isLost && this.#at !== undefined ? resetText(this.#epoch, this.#at) : undefined;
  }

  #next(record: LogRecord): readonly Settled[] {
    const { offset } = record;
    const at = this.#at ?? 0;
    const isOther = offset === this.#last?.offset && !this.#rules.isSame(this.#last, record);
    if (isOther) return this.#loseTail();
    if (offset < at) return [];
    if (this.#rules.isGap(at, offset)) return [...this.#skipTo(offset), ...this.#read(record)];
    return this.#read(record);
  }

  /** Records are missing: for this reader the log begins after them. */
  #skipTo(offset: number): readonly Settled[] {
    const unknown = this.#lose();
    this.#begin(offset);
    return unknown;
  }

  /** Begins at an offset. All rows are known where nothing is missing before it. */
  #begin(start: number): void {
    this.#at = start;
    this.#hasRows = start === 0;
    this.#copyAt = start + this.#copyEvery;
  }

  /** The position was lost: everything is read again, and nothing is known of what was sent. */
  #lose(): readonly Settled[] {
    this.#at = undefined;
    this.#epoch = -1;
    this.#last = undefined;
    this.#hasRows = false;
    this.#isAtEnd = false;
    this.#recent = [];
    this.#copied = undefined;
    this.#copies.clear();
    return this.#restart([]);
  }

  /** Records were lost with their leader: what was sent in its epoch never counts. */
  #loseTail(): readonly Settled[] {
    for (const pending of this.#pending.values()) pending.until ??= 0;
    return this.#lose();
  }

  /** The rows are of another history. Returns the requests whose outcome is unknown. */
  #restart(rows: Iterable<readonly [string, string]>): readonly Settled[] {
    this.#store.restore(rows);
    this.#changed = [];
    const unknown: Settled[] = [];
    for (const [id, pending] of this.#pending)
      if (pending.until === undefined) unknown.push({ id, answer: undefined });
      else pending.until = 0;
    for (const { id } of unknown) this.#pending.delete(id);
    return unknown;
  }

  #read(record: LogRecord): readonly Settled[] {
    const settled: Settled[] = [];
    if (record.epoch !== this.#epoch) this.#enter(record.epoch);
    const entry = parseEntry(record.text);
    const counts = entry !== undefined && this.#rules.counts(entry.epoch, record.epoch);
    this.#recent.push({ record, entry: counts ? entry : undefined });
    this.#last = record;
    this.#at = record.offset + 1;
    if (entry?.kind === 'batch') settled.push(...this.#apply(entry, counts, record));
    else if (counts && entry?.kind === 'copy') settled.push(...this.#gather(entry, record));
    else if (counts && entry?.kind === 'reset') settled.push(...this.#resetAt(entry, record));
    if (this.#recent.length >= 2 * this.#copyEvery) this.#recent.splice(0, this.#copyEvery);
    return settled;
  }

  /** A new leader may lack records, also such as this reader has not read. No earlier request can count. */
  #enter(epoch: number): void {
    const isLoss = this.#rules.isLoss(this.#epoch, epoch);
    this.#epoch = epoch;
    if (!isLoss) return;
    for (const pending of this.#pending.values()) pending.until ??= 0;
    this.#restart([...this.#store.rows]);
  }

  /** Applies a batch, as `exchange` would. */
  #apply(entry: BatchEntry, counts: boolean, { offset, text }: LogRecord): readonly Settled[] {
    const pending = this.#pending.get(entry.id);
    const own = pending?.text === text ? pending : undefined;
    const outcomes = entry.changes.map(
      (change) => counts && this.#hasRows && this.#store.change(change),
    );
    if (own === undefined)
      this.#changed.push(...entry.changes.filter((_, index) => outcomes[index]));
    if (offset >= this.#copyAt) {
      this.#copyAt = offset + this.#copyEvery;
      this.isCopyDue = own !== undefined && this.#hasRows;
    }
    if (own === undefined || own.until !== undefined) return [];
    this.#pending.delete(entry.id);
    return [{ id: entry.id, answer: this.#store.answer(own.request, outcomes) }];
  }

  /** Takes a part of a copy, and the copy if it is complete. */
  #gather(entry: CopyEntry, { offset }: LogRecord): readonly Settled[] {
    const { id, epoch, upTo, part, parts } = entry;
    for (const [key, of] of this.#copies) if (this.#isLate(of, offset)) this.#copies.delete(key);
    const key = JSON.stringify([id, epoch, upTo, parts]);
    const known = this.#copies.get(key) ?? { upTo, found: new Map<number, CopyEntry>() };
    if (upTo > offset || this.#isLate(known, offset)) return [];
    if (!known.found.has(part)) known.found.set(part, entry);
    this.#copies.set(key, known);
    if (!this.#rules.isComplete(known.found.size, parts)) return [];
    this.#copies.delete(key);
    const from = this.#recent[0]?.record.offset ?? offset;
    return this.#rules.isUsable(from, upTo) ? this.#complete(known, offset, id) : [];
  }

  /**
   * Whether all readers ignore a copy: so that they need only the latest records to bring one forward,
   * and that those who begin after `upTo` agree with the others.
   */
  #isLate({ upTo }: Parts, offset: number): boolean {
    return offset - upTo > this.#copyEvery || this.#rules.isOlder(upTo, this.#copied ?? 0);
  }

  /** Takes a complete copy: the rows before `upTo`, brought forward by the entries since. */
  #complete({ upTo, found }: Parts, offset: number, id: string): readonly Settled[] {
    const store = new RowStore();
    store.restore([...found.values()].flatMap(({ rows }) => rows));
    const from = this.#rules.continuesAt(upTo, offset);
    for (const { record, entry } of this.#recent)
      if (record.offset >= from && entry?.kind === 'batch')
        for (const change of entry.changes) store.change(change);
    // A copy that was appended twice has none before it.
    if (id === this.#ownCopy && this.#copied !== undefined && upTo > this.#copied)
      this.cutBelow = this.#rules.cutBelow(this.#copied, upTo);
    this.#copyAt = upTo + this.#copyEvery;
    return this.#adopt(store.rows, upTo);
  }

  /** Takes an entry that says that the rows are lost. */
  #resetAt({ upTo }: ResetEntry, { offset }: LogRecord): readonly Settled[] {
    return this.#rules.resets(upTo, offset) ? this.#adopt(new Map(), upTo) : [];
  }

  /**
   * Takes rows that the log shows. Those that differ from what this reader knows are another history:
   * readers that begin here take them too, and all must decide alike.
   */
  #adopt(rows: ReadonlyMap<string, string>, upTo: number): readonly Settled[] {
    this.#copied = upTo;
    const isKnown = this.#hasRows && areEqual(rows, this.#store.rows);
    if (isKnown || (this.#hasRows && !this.#rules.replaces())) return [];
    this.#hasRows = true;
    return this.#restart(rows);
  }

  #settleReadings(): readonly Settled[] {
    if (!this.isReady) return [];
    const settled: Settled[] = [];
    for (const [id, { request, until }] of this.#pending) {
      if (until === undefined || until > (this.#at ?? 0)) continue;
      this.#pending.delete(id);
      const outcomes = request.changes.map(() => false);
      settled.push({ id, answer: this.#store.answer(request, outcomes) });
    }
    return settled;
  }
}

function areEqual(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false;
  for (const [name, text] of one) if (other.get(name) !== text) return false;
  return true;
}
