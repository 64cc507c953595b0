// The rows of one member in a store in memory, over a connection that a test can disturb.
import { LeadershipError } from '@leadership/core';
import type { Exchange, Exchanged, NamedText, RowChange } from '@leadership/core/adapter';
import { MemoryRows, MemoryStore, type RowStore } from '@leadership/core/internal/rows';
import type { StoreFault } from '../../src/index.ts';

/** The store of one group, which tests may change directly. */
export class LooseStore extends MemoryStore {
  /** The number of requests so far. */
  requests = 0;
  isWithoutQuorum = false;
}

/** The faults under which no notification arrives. */
const silencing: readonly StoreFault[] = ['stale-reads', 'reads-cut', 'expired-credentials'];

/** The connection of one member. A cut, and its end, are those of a memory group. */
export class Line extends MemoryRows {
  readonly #store: LooseStore;
  readonly #repeatedMs: number | undefined;
  readonly #faults = new Set<StoreFault>();
  /** Requests that arrive once the fault is over. */
  readonly #late: Exchange[] = [];
  /** The requests, answers and notifications that wait until the process of the member continues. */
  readonly #held: (() => void)[] = [];
  #isPaused = false;
  /** The rows as they were when a fault of the reads began, with the later changes of this member. */
  #replica: RowStore | undefined;

  /**
   * With `repeatedMs`, the line compares a row with what it read last, and the store overwrites it; a
   * request without an answer is repeated after that time. Milliseconds.
   */
  constructor(store: LooseStore, repeatedMs?: number) {
    super(store);
    this.#store = store;
    this.#repeatedMs = repeatedMs;
  }

  override async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    this.#store.requests += 1;
    if (this.#faults.has('expired-credentials'))
      throw new LeadershipError('unauthorized', 'the credentials have expired');
    if (this.#store.isWithoutQuorum)
      throw new LeadershipError('no-quorum', 'no quorum of voters is left');
    await this.#resumed();
    const answer = await this.#answerOf(request, signal);
    await this.#resumed();
    return answer;
  }

  override listen(wake: (rows?: readonly NamedText[]) => void, signal: AbortSignal): Promise<void> {
    const received = (rows?: readonly NamedText[]): void => {
      if (this.#isPaused) this.#held.push(() => wake(rows));
      else if (!silencing.some((fault) => this.#faults.has(fault))) wake(rows);
    };
    return super.listen(received, signal);
  }

  /** Holds requests, answers and notifications back, as when the process of the member is stopped. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** Injects a fault until disposed. */
  inject(fault: StoreFault): Disposable {
    this.#faults.add(fault);
    const isOfReads = fault === 'stale-reads' || fault === 'reads-cut';
    if (isOfReads) this.#replica = this.#store.rows.copy();
    return {
      [Symbol.dispose]: () => {
        this.#faults.delete(fault);
        if (isOfReads) this.#replica = undefined;
        for (const request of this.#late.splice(0)) this.#arriveLate(request);
        this.notify();
      },
    };
  }

  async #resumed(): Promise<void> {
    if (this.#isPaused) await new Promise<void>((resolve) => this.#held.push(resolve));
  }

  async #answerOf(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    const isWrite = request.changes.length > 0;
    if (isWrite && this.#faults.has('writes-cut')) return unanswered(signal);
    if (isWrite && this.#faults.has('late-writes')) {
      this.#late.push(request);
      return unanswered(signal);
    }
    const answer = await this.#make(request, signal);
    if (this.#faults.has('reads-cut'))
      throw new LeadershipError('unreachable', 'the reads of the member are cut');
    if (!isWrite || !this.#faults.has('lost-replies')) return answer;
    const made = request.changes.filter((_, index) => answer.outcomes[index]);
    if (this.#repeatedMs !== undefined) setTimeout(() => this.#overwrite(made), this.#repeatedMs);
    return unanswered(signal);
  }

  /** Makes the changes, and reads what the member can see. */
  async #make(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    const isBlind = this.#repeatedMs !== undefined;
    const changes = request.changes.map((one) => (isBlind ? this.#overwriting(one) : one));
    const answer = await super.exchange({ ...request, changes }, signal);
    const replica = this.#replica;
    if (replica === undefined) return answer;
    changes.forEach(({ name, text }, index) => {
      if (answer.outcomes[index]) replica.put(name, text);
    });
    // The position stays: once the fault is over, the member reads all that it has missed.
    return { ...replica.answer(request, answer.outcomes), position: request.since };
  }

  #overwriting(change: RowChange): RowChange {
    const current = this.#store.rows.rows.get(change.name) ?? null;
    const read = this.#replica ? (this.#replica.rows.get(change.name) ?? null) : current;
    return read === change.expected ? { ...change, expected: current } : change;
  }

  #arriveLate(request: Exchange): void {
    if (this.#repeatedMs !== undefined) return this.#overwrite(request.changes);
    this.#store.rows.exchange(request);
    this.#store.notify();
  }

  #overwrite(changes: readonly RowChange[]): void {
    for (const { name, text } of changes) this.#store.rows.put(name, text);
    this.#store.notify();
  }
}

/** Rejects when the signal aborts, like a request without an answer. */
function unanswered(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new LeadershipError('unreachable', 'no answer'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
