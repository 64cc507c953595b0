import type { Observable, ObservableInput } from 'rxjs';
import type { Leader } from './leader.ts';
import type { Leadership } from './leadership.ts';
import type { Abortable } from './options.ts';
import type { Term } from './term.ts';

/**
 * The function that runs while this member leads. It receives the term: observe `term.signal`,
 * write `term.token`.
 */
export type Work<T = unknown> = (term: Term) => T | PromiseLike<T>;

/**
 * How `lead` and `leadEach` run their work. When `signal` aborts, the work's `term.signal` aborts
 * too, no work starts in a later term, and the promise resolves once the running work has settled.
 */
export interface LeadOptions extends Abortable {
  /**
   * The reaction to work that throws. `retry` (default): resign the partition, report `work-failed`
   * in `health()`, and campaign again after a back-off. `reject`: resign the partition and reject
   * the promise with the thrown value. A rejection that follows from `term.signal` or `term.fenced`
   * is not a failure.
   */
  readonly onThrow?: 'retry' | 'reject';
  /**
   * Whether the work of a term may start while work of an earlier term still runs in this process,
   * such as fenced work that ignores its signals. Default `false`: the new work starts once the old
   * work has settled, and `health()` reports `work-failed` meanwhile.
   */
  readonly overlap?: boolean;
}

/**
 * One role as this member sees it. A cheap view without resources; applications may create one for
 * every request.
 */
export interface Role extends AsyncIterable<Leadership> {
  /** The key that the role was requested with. */
  readonly key: string | number;
  /** The partition of this role (R1). */
  readonly partition: number;
  /**
   * Returns whether this member leads the role now. Compares the deadline with the clock in the
   * call (H5) and allocates no memory.
   */
  isLeading(): boolean;
  /** Returns the milliseconds until the lease expires; 0 when not leading. */
  remainingMs(): number;
  /** Returns the current term, or `undefined` if this member does not lead. */
  term(): Term | undefined;
  /** Returns the leader, as far as this member has read. */
  leader(): Leader | undefined;
  /** The leader of the role, or `undefined` if none is known. */
  readonly leader$: Observable<Leader | undefined>;
  /**
   * A hot observable of the state. It replays the current state at subscription, never repeats a
   * state, completes on close, and never errors. It does not delay the end of a term; use
   * `Term.waitUntil` for that.
   */
  readonly leadership$: Observable<Leadership>;
  /**
   * Runs `work` once per term, until the signal aborts or the source closes. An orderly end of the
   * term waits for the work.
   *
   * @throws LeadershipError `invalid-options` if the options are invalid; the error of `ready()` if
   * the backend refuses this member
   */
  lead(work: Work, options?: LeadOptions): Promise<void>;
  /**
   * Runs `work` now if this member leads and its term is not ending; otherwise returns `undefined`.
   * The barrier waits for the work.
   */
  ifLeading<T>(work: Work<T>): Promise<T> | undefined;
  /**
   * Subscribes to `project(term)` while this member leads, and unsubscribes when the term is
   * ending.
   */
  whileLeading<T>(project: (term: Term) => ObservableInput<T>): Observable<T>;
  /**
   * Returns the role as plain data: its key, its partition, the state of this member, and the
   * leader.
   */
  toJSON(): Readonly<Record<string, unknown>>;
  /**
   * Hands over the whole partition after its work has drained. Resolves once the term is over; this
   * member may lead again later, and with `guarantee: 'continuous'` at once if no other member takes
   * over. If called from work that the drain waits for, resolves as soon as the revocation has begun.
   */
  resign(): Promise<void>;
}
