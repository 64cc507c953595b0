// The belief of this member that it leads one partition: at most one term at a time, and how the
// term ends. It calls its listener at once and knows no streams, signals or promises, so that the
// simulation runs the same code.
import type { Grant } from '../contract/backend.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { Clock } from '../time/clock.ts';
import { type Instant, longAgo } from '../time/instant.ts';
import { drainTimer } from './drain-timer.ts';

/** Receives the changes of a belief, after they have taken effect. */
export interface BeliefListener {
  began(token: bigint, now: Instant): void;
  /** The term ends in order. The listener calls `drained` once the work of the term has settled. */
  revoked(token: bigint): void;
  /**
   * Half of the drain time is over and the work still runs. The result is disposed when the drain
   * ends.
   */
  drainsSlowly(timeoutMs: number): Disposable | undefined;
  ended(token: bigint, loss: LossReason | 'released'): void;
}

/** The end of a lease. Every question whether a term is current compares it with the clock. */
export class Deadline {
  until: Instant = longAgo;
}

export class Belief {
  readonly #clock: Clock;
  readonly #listener: BeliefListener;
  /** The deadline of terms that have one of their own. */
  readonly #own: Deadline = new Deadline();
  /** The deadline of the current term. It is never that of an earlier term. */
  #deadline: Deadline = this.#own;
  #token: bigint | undefined;
  #endedToken = -1n;
  #drainEnds: ((end: 'drained' | 'fenced') => void) | undefined;

  constructor(clock: Clock, listener: BeliefListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Returns the state at the moment of the call (H5). */
  isLeading(): boolean {
    return this.#clock.now() < this.#deadline.until;
  }

  get until(): Instant {
    return this.#deadline.until;
  }

  /** Returns whether the current term ends with that deadline. */
  endsWith(deadline: Deadline): boolean {
    return this.#deadline === deadline;
  }

  /** The token of the term that has begun and not ended. The lease may have expired. */
  get token(): bigint | undefined {
    return this.#token;
  }

  /** Ends an expired term. */
  refresh(): void {
    if (this.#token !== undefined && this.#clock.now() >= this.until) this.end('expired');
  }

  /**
   * Processes a proof that arrived at `now`. A proof of a term that has ended does not revive it
   * (T3, H4).
   */
  granted(
    { token, until }: Pick<Grant, 'token' | 'until'>,
    now: Instant,
  ): 'prolonged' | 'began' | 'over' {
    if (this.#token !== undefined && this.#confirms(token, now)) return this.#prolong(until);
    if (token <= this.#endedToken || until <= now) return 'over';
    if (this.#token !== undefined) this.end('superseded');
    this.#own.until = until;
    return this.#begin(this.#own, token, now);
  }

  /** Processes a proof of a term that ends with a deadline which other terms share. */
  grantedUntil(deadline: Deadline, token: bigint, now: Instant): 'prolonged' | 'began' | 'over' {
    if (this.#token !== undefined && this.#confirms(token, now)) return 'prolonged';
    if (token <= this.#endedToken || deadline.until <= now) return 'over';
    if (this.#token !== undefined) this.end('superseded');
    return this.#begin(deadline, token, now);
  }

  /** Returns whether that token is of the current term. Ends a term that has expired. */
  #confirms(token: bigint, now: Instant): boolean {
    if (now >= this.#deadline.until) this.end('expired');
    return this.#token === token;
  }

  #prolong(until: Instant): 'prolonged' {
    if (until > this.#own.until) this.#own.until = until;
    return 'prolonged';
  }

  #begin(deadline: Deadline, token: bigint, now: Instant): 'began' {
    this.#token = token;
    this.#deadline = deadline;
    this.#listener.began(token, now);
    return 'began';
  }

  /**
   * Ends the term in order (H2): calls `done` with `drained` once its work has settled, or with
   * `fenced` if the term ends first, at the latest after the time-out (H3).
   */
  drain(timeoutMs: number, done: (end: 'drained' | 'fenced') => void): void {
    const token = this.#token;
    if (token === undefined || !this.isLeading() || this.#drainEnds !== undefined)
      return done('fenced');
    const timer = drainTimer(this.#clock, timeoutMs, {
      slow: () => this.#listener.drainsSlowly(timeoutMs),
      timedOut: () => this.end('drain-timed-out'),
    });
    this.#drainEnds = (end) => {
      timer[Symbol.dispose]();
      done(end);
    };
    this.#listener.revoked(token);
  }

  /** Processes the end of the work of a term that drains. */
  drained(token: bigint): void {
    if (this.#token === token) this.#takeDrain()?.('drained');
  }

  /** Ends the term: at once (H4), or `released` after its drain. */
  end(loss: LossReason | 'released'): void {
    const token = this.#token;
    if (token === undefined) return;
    this.#own.until = longAgo;
    this.#deadline = this.#own;
    this.#token = undefined;
    this.#endedToken = token;
    // The listener may begin another term, with a drain of its own.
    const drainEnds = this.#takeDrain();
    this.#listener.ended(token, loss);
    drainEnds?.('fenced');
  }

  #takeDrain(): ((end: 'drained' | 'fenced') => void) | undefined {
    const drainEnds = this.#drainEnds;
    this.#drainEnds = undefined;
    return drainEnds;
  }
}
