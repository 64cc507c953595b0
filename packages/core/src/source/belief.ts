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

export class Belief {
  readonly #clock: Clock;
  readonly #listener: BeliefListener;
  #until: Instant = longAgo;
  #token: bigint | undefined;
  #endedToken = -1n;
  #drainEnds: ((end: 'drained' | 'fenced') => void) | undefined;

  constructor(clock: Clock, listener: BeliefListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Returns the state at the moment of the call (H5). */
  isLeading(): boolean {
    return this.#clock.now() < this.#until;
  }

  get until(): Instant {
    return this.#until;
  }

  /** The token of the term that has begun and not ended. The lease may have expired. */
  get token(): bigint | undefined {
    return this.#token;
  }

  /** Ends an expired term. */
  refresh(): void {
    if (this.#token !== undefined && this.#clock.now() >= this.#until) this.end('expired');
  }

  /**
   * Processes a proof that arrived at `now`. A proof of a term that has ended does not revive it
   * (T3, H4).
   */
  granted(
    { token, until }: Pick<Grant, 'token' | 'until'>,
    now: Instant,
  ): 'prolonged' | 'began' | 'over' {
    if (this.#token !== undefined && now >= this.#until) this.end('expired');
    if (this.#token === token) {
      if (until > this.#until) this.#until = until;
      return 'prolonged';
    }
    if (token <= this.#endedToken || until <= now) return 'over';
    if (this.#token !== undefined) this.end('superseded');
    this.#token = token;
    this.#until = until;
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
    this.#until = longAgo;
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
