// The store of a memory group: its rows, and the connection of each member, for `memory-group.ts`.
import { nextWake } from '../async/latest-value.ts';
import { sleep } from '../async/sleep.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { nextTurn } from '../process/next-turn.ts';
import { RowStore } from '../rows/row-store.ts';
import type { Exchange, Exchanged, NamedText, Rows, RowsTraits } from '../rows/rows.ts';
import type { Clock } from '../time/clock.ts';

/** The sentence for a member that a test has cut off. */
export const cutOff = 'the member is cut off from the store';

/** The rows that the members of a group in this thread share. */
export class MemoryStore {
  readonly rows: RowStore = new RowStore();
  readonly #members = new Set<MemoryRows>();

  /** Notifies the members that listen, but not the one that made a change; or shows them rows. */
  notify(from?: MemoryRows, rows?: readonly NamedText[]): void {
    for (const member of this.#members) if (member !== from) member.notify(rows);
  }

  /** Adds a member that listens, until the result is disposed. */
  add(member: MemoryRows): Disposable {
    this.#members.add(member);
    return { [Symbol.dispose]: () => void this.#members.delete(member) };
  }
}

type Wake = (rows?: readonly NamedText[]) => void;

/** How far a store in memory is away. */
interface Distance {
  readonly clock: Clock;
  /** How long a request, an answer and a notification take. Milliseconds. */
  readonly wayMs: number;
}

/** The rows of a group as one member reaches them. A test can cut the connection. */
export class MemoryRows implements Rows {
  readonly name: string = 'the store in memory';
  readonly traits: RowsTraits = { changesMax: 256 };
  readonly #store: MemoryStore;
  readonly #distance: Distance | undefined;
  /** Requests without an answer, until the connection is restored. */
  readonly #wakers = new Set<() => void>();
  #wake: Wake = () => undefined;
  #isCut = false;
  #isClosed = false;

  constructor(store: MemoryStore, distance?: Distance) {
    this.#store = store;
    this.#distance = distance;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Cuts the connection: requests get no answer and have no effect, and no notification arrives. */
  cut(): void {
    this.#switch(true);
  }

  /** Restores the connection: requests of the meantime are lost, and there may be news. */
  mend(): void {
    this.#switch(false);
    // After the requests that are lost: news ends the pause after a failure.
    void nextTurn().then(() => this.notify());
  }

  async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    await this.#pass(signal);
    const answer = this.#store.rows.exchange(request);
    const made = request.changes.filter((_, index) => answer.outcomes[index] === true);
    if (made.some(({ isAwaited }) => isAwaited)) this.#store.notify(this);
    if (made.length > 0)
      this.#store.notify(
        this,
        made.map(({ name, text }) => [name, text]),
      );
    await this.#pass(signal);
    return answer;
  }

  async listen(wake: Wake, signal: AbortSignal): Promise<void> {
    this.#wake = wake;
    const listening = this.#store.add(this);
    signal.addEventListener('abort', () => listening[Symbol.dispose](), { once: true });
  }

  /** Notifies this member that rows have changed, or shows them. */
  notify(rows?: readonly NamedText[]): void {
    const { clock, wayMs } = this.#distance ?? {};
    if (clock === undefined || wayMs === undefined) return this.#notified(rows);
    void sleep(clock, wayMs, new AbortController().signal).then(() => this.#notified(rows));
  }

  close(): void {
    this.#isClosed = true;
    this.#wake = () => undefined;
  }

  #notified(rows?: readonly NamedText[]): void {
    if (!this.#isCut) this.#wake(rows);
  }

  /** Goes one way, to the store or back. */
  async #pass(signal: AbortSignal): Promise<void> {
    if (this.#isClosed) throw new LeadershipError('closed', 'the rows are closed');
    if (this.#distance !== undefined)
      await sleep(this.#distance.clock, this.#distance.wayMs, signal);
    if (this.#isCut && !signal.aborted) await nextWake(this.#wakers, signal);
    else if (!signal.aborted) return;
    throw new LeadershipError('unreachable', cutOff);
  }

  #switch(isCut: boolean): void {
    if (this.#isCut === isCut) return;
    this.#isCut = isCut;
    for (const wake of this.#wakers) wake();
  }
}
