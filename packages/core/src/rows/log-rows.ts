// A log as a store of rows: the reading loop around the fold, and the promises of requests.
import { retry } from '../async/retry.ts';
import { sleep } from '../async/sleep.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { Clock } from '../time/clock.ts';
import { after, type Instant } from '../time/instant.ts';
import { type Fetched, LogFold, type LogFoldOptions, type Settled } from './log-fold.ts';
import type { Exchange, Exchanged, NamedText, Rows, RowsTraits } from './rows.ts';

/** A log, as one member reaches it. */
export interface Log {
  /** How error messages name it, as in `topic "leases"`. */
  readonly name: string;
  open?(signal: AbortSignal, mayCreate: boolean): Promise<void>;
  /**
   * Appends a record. Resolves once it cannot be lost with its leader alone. After a rejection it may
   * be in the log or not.
   */
  append(text: string, signal: AbortSignal): Promise<void>;
  /**
   * Reads from an offset on; `undefined`: from the beginning. Waits for a while for the record at
   * `next`, which may be a later one. The end that it shows is never lower than before, unless records
   * are lost.
   */
  fetch(from: number | undefined, next: number | undefined, signal: AbortSignal): Promise<Fetched>;
  /** Returns the offset after the last record. */
  end(signal: AbortSignal): Promise<number>;
  /** Removes the records below an offset. */
  cut(below: number, signal: AbortSignal): Promise<void>;
  close?(): void | Promise<void>;
}

/** Options of {@link logRows}. */
export interface LogRowsOptions extends LogFoldOptions {
  readonly clock: Clock;
  /**
   * The group, if several share the log: its rows have its name in front of theirs. Each member folds
   * the rows of all groups, so that a copy has all of them, and a cut takes none away.
   */
  readonly group?: string;
  /**
   * How long after the last copy a member appends another one, however few entries there are since, for
   * a log that removes old records: up to twice as long. Milliseconds. Default: never.
   */
  readonly copyAfterMs?: number;
  /**
   * How long after a copy this member removes the records that it makes needless: a member that is cut
   * off for less finds its place again. Milliseconds. Default 0.
   */
  readonly cutAfterMs?: number;
  /**
   * Called with the error if this member could not append a copy, and with `undefined` once a later copy
   * of any member was read. Until then no old record is removed.
   */
  readonly uncopied?: (error: unknown) => void;
  /**
   * The longest pause between fetches that fail, in milliseconds. At most a quarter of T, so that a
   * request learns the cause before its time is over. Default 250.
   */
  readonly pauseMsMax?: number;
  /** In [0, 1): spreads the copies and the pauses of the members. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Stands between the name of a group and that of a row. Neither contains it. */
const separator = '\0';

type Wake = (rows?: readonly NamedText[]) => void;

/** The pause after the first fetch that fails; it doubles with each further one. Milliseconds. */
const pauseMs = 50;
const pauseMsMaxUsual = 250;
/** How long after a copy that failed this member appends the next one, unless another one does. Milliseconds. */
const copyAgainMs = 60_000;

/** Returns a log as rows: each member folds all that it reads. */
export function logRows(log: Log, options: LogRowsOptions): Rows {
  return new LogRows(log, options);
}

interface Waiting {
  resolve(answer: Exchanged): void;
  reject(error: unknown): void;
}

/** Whether only a person can mend the cause. */
function isFinal(error: unknown): boolean {
  const { code } = error as Partial<LeadershipError>;
  return code === 'unauthorized' || code === 'misconfigured-backend';
}

class LogRows implements Rows {
  readonly traits: RowsTraits = { changesMax: 256, isDoubtedAtFirst: true };
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #fold: LogFold;
  readonly #closed = new AbortController();
  readonly #waiting = new Map<string, Waiting>();
  readonly #wakers = new Set<Wake>();
  readonly #prefix: string;
  #mayCreate = false;
  #reading: Promise<void> | undefined;
  readonly #copyAfterMs: number;
  readonly #cutAfterMs: number;
  readonly #pauseMsMax: number;
  readonly #random: () => number;
  readonly #uncopied: (error: unknown) => void;
  /** Up to where this member knows a copy, and when it appends the next one at the latest. */
  #copied: number | undefined;
  #copyAt: Instant;
  /** The last entry that says that the rows are lost. */
  #reset: string | undefined;

  constructor(log: Log, options: LogRowsOptions) {
    const {
      clock,
      group,
      copyAfterMs,
      cutAfterMs = 0,
      pauseMsMax,
      random,
      uncopied,
      ...fold
    } = options;
    this.#log = log;
    this.#clock = clock;
    this.#copyAfterMs = copyAfterMs ?? Number.POSITIVE_INFINITY;
    this.#cutAfterMs = cutAfterMs;
    this.#pauseMsMax = pauseMsMax ?? pauseMsMaxUsual;
    this.#random = random ?? Math.random;
    this.#uncopied = uncopied ?? ((): void => undefined);
    this.#copyAt = this.#nextCopyAt();
    this.#prefix = group === undefined ? '' : `${group}${separator}`;
    this.#fold = new LogFold(fold);
  }

  get name(): string {
    return this.#log.name;
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<void> {
    this.#mayCreate = mayCreate;
    await this.#log.open?.(signal, mayCreate);
    // No change counts before a record has shown the epoch.
    if (mayCreate && (await this.#log.end(signal)) === 0) await this.#log.append('', signal);
    this.#reading ??= this.#read(this.#closed.signal);
  }

  async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    if (this.#closed.signal.aborted) throw this.#closedError();
    signal.throwIfAborted();
    this.#reading ??= this.#read(this.#closed.signal);
    const id = crypto.randomUUID();
    const answer = new Promise<Exchanged>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const giveUp = (): void => this.#reject(id, signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#send(id, this.#named(request), signal).catch((error: unknown) => this.#reject(id, error));
    try {
      const { rows, ...rest } = await answer;
      return { ...rest, rows: this.#own(rows) };
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async listen(wake: Wake, signal: AbortSignal): Promise<void> {
    const own: Wake = (rows) => wake(rows);
    this.#wakers.add(own);
    signal.addEventListener('abort', () => this.#wakers.delete(own), { once: true });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#wakers.clear();
    for (const id of this.#waiting.keys()) this.#reject(id, this.#closedError());
    // A log may end its fetch only when it is closed.
    await Promise.all([this.#log.close?.(), this.#reading]);
  }

  async #send(id: string, request: Exchange, signal: AbortSignal): Promise<void> {
    const text = this.#fold.entry(id, request);
    if (text !== undefined) return this.#log.append(text, signal);
    const end = await this.#log.end(signal);
    if (this.#waiting.has(id)) this.#settle(this.#fold.reading(id, request, end));
  }

  /** Reads until the signal aborts. Never rejects. */
  #read(signal: AbortSignal): Promise<void> {
    let failures = 0;
    const attempt = async (succeeded: () => void): Promise<void> => {
      while (!signal.aborted) {
        const { from, next } = this.#fold;
        this.#take(await this.#log.fetch(from, next, signal));
        failures = 0;
        succeeded();
      }
    };
    const broke = (error: unknown): boolean => {
      failures += 1;
      this.#failed(error, failures);
      return true;
    };
    const backOff = { firstMs: pauseMs, lastMs: this.#pauseMsMax, random: this.#random };
    return retry({ attempt, broke }, backOff, this.#clock, signal);
  }

  /** Requests may still count, and the known rows may be old. A single failure shows neither. */
  #failed(error: unknown, failures: number): void {
    if (failures === 1 && !isFinal(error)) return;
    for (const id of this.#waiting.keys()) this.#reject(id, error);
  }

  #take(fetched: Fetched): void {
    const settled = this.#fold.take(fetched);
    this.#settle(settled);
    this.#notify();
    const hasChanged = settled.some(({ answer }) => answer?.outcomes.includes(true));
    void this.#care(this.#isCopyOld() && hasChanged).catch(() => undefined);
  }

  #isCopyOld(): boolean {
    const { copied } = this.#fold;
    if (copied !== this.#copied) {
      this.#copyAt = this.#nextCopyAt();
      this.#uncopied(undefined);
    }
    this.#copied = copied;
    return this.#clock.now() >= this.#copyAt;
  }

  #nextCopyAt(): Instant {
    return after(this.#clock.now(), this.#copyAfterMs * (1 + this.#random()));
  }

  /** Shows what others have changed, and wakes those that wait for it. */
  #notify(): void {
    const changed = this.#fold.takeChanged().filter(({ name }) => name.startsWith(this.#prefix));
    const own = changed.map((change) => ({ ...change, name: this.#ownName(change.name) }));
    const shown = own.map(({ name, text }): NamedText => [name, text]);
    const isAwaited = own.some((change) => change.isAwaited);
    for (const wake of this.#wakers) {
      if (shown.length > 0) wake(shown);
      if (isAwaited) wake();
    }
  }

  #named(request: Exchange): Exchange {
    const changes = request.changes.map((one) => ({ ...one, name: `${this.#prefix}${one.name}` }));
    return { ...request, changes };
  }

  #own(rows: readonly NamedText[]): readonly NamedText[] {
    return rows
      .filter(([name]) => name.startsWith(this.#prefix))
      .map(([name, text]): NamedText => [this.#ownName(name), text]);
  }

  #ownName(name: string): string {
    return name.slice(this.#prefix.length);
  }

  /** Appends copies and cuts the log. If that fails, it is due again after further entries. */
  async #care(isCopyOld: boolean): Promise<void> {
    const [log, fold, { signal }] = [this.#log, this.#fold, this.#closed];
    const { cutBelow } = fold;
    fold.cutBelow = undefined;
    const parts = fold.isCopyDue || isCopyOld ? fold.copy(crypto.randomUUID()) : [];
    if (parts.length > 0) this.#copyAt = this.#nextCopyAt();
    // An observer appends nothing.
    const reset = this.#mayCreate ? fold.reset() : undefined;
    const isNew = reset !== this.#reset;
    this.#reset = reset;
    if (reset !== undefined && isNew) await this.#appendReset(reset);
    await this.#appendCopy(parts);
    if (cutBelow === undefined) return;
    if (this.#cutAfterMs > 0) await sleep(this.#clock, this.#cutAfterMs, signal);
    if (!signal.aborted) await log.cut(cutBelow, signal);
  }

  async #appendCopy(parts: readonly string[]): Promise<void> {
    const { signal } = this.#closed;
    try {
      for (const part of parts) await this.#log.append(part, signal);
    } catch (error) {
      this.#copyAt = after(this.#clock.now(), copyAgainMs);
      if (!signal.aborted) this.#uncopied(error);
      throw error;
    }
  }

  /** Tries again with the next fetch if that fails: perhaps no record changes what is due. */
  async #appendReset(reset: string): Promise<void> {
    try {
      await this.#log.append(reset, this.#closed.signal);
    } catch (error) {
      this.#reset = undefined;
      throw error;
    }
  }

  #settle(settled: readonly Settled[]): void {
    for (const { id, answer } of settled)
      if (answer === undefined)
        this.#reject(id, new LeadershipError('unreachable', `${this.name}: records are missing`));
      else this.#remove(id)?.resolve(answer);
  }

  #reject(id: string, error: unknown): void {
    this.#fold.forget(id);
    this.#remove(id)?.reject(error);
  }

  #remove(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #closedError(): LeadershipError {
    return new LeadershipError('closed', `${this.name}: it is closed`);
  }
}
