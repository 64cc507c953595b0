import type { Observable, ObservableInput } from 'rxjs';
import type { Leader } from './leader.ts';
import type { Leadership } from './leadership.ts';
import type { Abortable } from './options.ts';
import type { Term } from './term.ts';

/** What a member does while it leads. Gets the term: check `term.signal`, write `term.token`. */
export type Work<T = unknown> = (term: Term) => T | PromiseLike<T>;

/**
 * How `lead` and `leadEach` run their work. `signal` stops leading: `term.signal`, as the work sees it, aborts too, no later term is
 * worked in, and the promise resolves once the work that runs has settled.
 */
export interface LeadOptions extends Abortable {
  /**
   * What a throw from work does. `retry` (default): the partition is resigned, `health()` says `work-failed`, and after a
   * back-off this member contends again. `reject`: the partition is resigned and the promise rejects with what was thrown.
   * A rejection because `term.signal` or `term.fenced` told the work to stop is no throw: it obeyed.
   */
  readonly onThrow?: 'retry' | 'reject';
  /**
   * Whether the work of a term may begin while that of an earlier term still runs in this process: fenced work that does not
   * look at its signals. Default `false`: it begins once that work has settled, and `health()` says `work-failed` meanwhile.
   */
  readonly overlap?: boolean;
}

/** One role as this member sees it. A view: cheap, holds nothing, may be asked for on every request. */
export interface Role extends AsyncIterable<Leadership> {
  readonly key: string | number;
  /** The partition this role lives in (R1). */
  readonly partition: number;
  /** Whether this member leads the role now: the deadline compared with the clock in the call (H5). Allocates nothing. */
  isLeading(): boolean;
  /** Milliseconds of belief left now; 0 when not leading. */
  remainingMs(): number;
  /** The current term, `undefined` unless this member leads now. */
  term(): Term | undefined;
  /** Who leads, as far as this member has read. */
  leader(): Leader | undefined;
  readonly leader$: Observable<Leader | undefined>;
  /** Hot, replays the value that is true at subscription, never repeats one, completes on close, never errors. Tells; does not wait for you. */
  readonly leadership$: Observable<Leadership>;
  /**
   * Runs `work` once per term, until the signal aborts or the source closes; an orderly end of the term waits for it.
   * @throws LeadershipError `invalid-options` where it cannot be run so; what `ready()` rejects with where the backend refuses this member
   */
  lead(work: Work, options?: LeadOptions): Promise<void>;
  /** Runs `work` now if this member leads and its term is not ending; otherwise returns `undefined`. The barrier waits for it. */
  ifLeading<T>(work: Work<T>): Promise<T> | undefined;
  /** Subscribed to `project(term)` while leading, unsubscribed when the term is ending. */
  whileLeading<T>(project: (term: Term) => ObservableInput<T>): Observable<T>;
  /** The role as plain data: its key, its partition, where this member stands, and who leads. */
  toJSON(): Readonly<Record<string, unknown>>;
  /**
   * Hands the whole partition over, after its work has drained. Resolves when this member leads it no more; called from inside
   * work that it waits for, as soon as the revocation has begun.
   */
  resign(): Promise<void>;
}
