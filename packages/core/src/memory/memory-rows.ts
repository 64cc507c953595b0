// The store of a memory group: its rows, and the connection of each member, for `memory-group.ts`.
import { nextWake } from '../async/latest-value.ts';
import { sleep } from '../async/sleep.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { RowStore } from '../rows/row-store.ts';
import type { Exchange, Exchanged, Rows, RowsTraits } from '../rows/rows.ts';
import type { Clock } from '../time/clock.ts';

/** The rows that the members of a group in this thread share. */
export class MemoryStore {
  readonly rows: RowStore = new RowStore();
  readonly #members = new Set<MemoryRows>();

  /** Notifies the members that listen of a change, but not the one that made it. */
  notify(from?: MemoryRows): void {
    for (const member of this.#members) if (member !== from) member.notify();
  }

  /** Adds a member that listens, until the result is disposed. */
  add(member: MemoryRows): Disposable {
    this.#members.add(member);
    return { [Symbol.dispose]: () => void this.#members.delete(member) };
  }
}

/** How far a store in memory is away. */
interface Distance {
  readonly clock: Clock;
  /** How long a request, an answer and a notification take. Milliseconds. */
  readonly wayMs: number;
}

/** The rows of a group as one member reaches them. A test can cut the connection. */
export class MemoryRows implements Rows {
  readonly name: string = 'the store did not answer';
  readonly traits: RowsTraits = { changesMax: 256 };
  readonly #store: MemoryStore;
  readonly #distance: Distance | undefined;
  /** Those who wait for the next cut, or for its end. */
  readonly #wakers = new Set<() => void>();
  #wake: () => void = () => undefined;
  #isCut = false;

  constructor(store: MemoryStore, distance?: Distance) {
    this.#store = store;
    this.#distance = distance;
  }

  /** Cuts the connection: requests get no answer and have no effect, and no notification arrives. */
  cut(): void {
    this.#switch(true);
  }

  /** Restores the connection. Requests and notifications of the meantime are lost. */
  mend(): void {
    this.#switch(false);
  }

  async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    await this.#pass(signal);
    const answer = this.#store.rows.exchange(request);
    const isAwaited = request.changes.some(
      (change, index) => change.isAwaited === true && answer.outcomes[index] === true,
    );
    if (isAwaited) this.#store.notify(this);
    await this.#pass(signal);
    return answer;
  }

  async listen(wake: () => void, signal: AbortSignal): Promise<void> {
    while (this.#isCut && !signal.aborted) await nextWake(this.#wakers, signal);
    if (signal.aborted) return;
    using _listening = this.#store.add(this);
    this.#wake = wake;
    wake();
    await nextWake(this.#wakers, signal);
    if (!signal.aborted) throw cutOff();
  }

  /** Notifies this member that rows have changed. */
  notify(): void {
    const { clock, wayMs } = this.#distance ?? {};
    if (clock === undefined || wayMs === undefined) return this.#notified();
    void sleep(clock, wayMs, new AbortController().signal).then(() => this.#notified());
  }

  close(): void {
    this.#wake = () => undefined;
  }

  #notified(): void {
    if (!this.#isCut) this.#wake();
  }

  /** Goes one way, to the store or back. */
  async #pass(signal: AbortSignal): Promise<void> {
    if (this.#distance !== undefined)
      await sleep(this.#distance.clock, this.#distance.wayMs, signal);
    if (this.#isCut && !signal.aborted) await nextWake(this.#wakers, signal);
    else if (!signal.aborted) return;
    throw cutOff();
  }

  #switch(isCut: boolean): void {
    if (this.#isCut === isCut) return;
    this.#isCut = isCut;
    for (const wake of this.#wakers) wake();
  }
}

function cutOff(): LeadershipError {
  return new LeadershipError('unreachable', 'the member is cut off from the store');
}
