// The leadership of one partition on this member: at most one term at a time, and the notifications
// about it.
//
//   vacant ──granted──▶ leading ──drain──▶ revoking ──released──▶ vacant
//                          └── deadline passed, lost, drain timed out ──▶ fenced (until the next report)
//
// Order of notifications: term ends → signals → leadership$ → (by the source) held$, leader$,
// events$.
import type { Grant } from '../contract/backend.ts';
import type { Leadership, LossReason } from '../contract/leadership.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { Term } from '../contract/term.ts';
import type { Clock } from '../time/clock.ts';
import { type Instant, longAgo } from '../time/instant.ts';
import { drainTimer } from './drain-timer.ts';
import { LiveTerm, type TermSeat } from './live-term.ts';
import { type Stream, stream } from './stream.ts';

/** Receives changes of a partition's leadership, after its own stream. */
export interface PartitionListener {
  began(partition: number, term: LiveTerm): void;
  revoked(partition: number, term: LiveTerm): void;
  /**
   * Half of the drain time is over and the work still runs. The result is disposed when the drain
   * ends.
   */
  drainsSlowly(term: LiveTerm, timeoutMs: number): Disposable;
  ended(partition: number, term: LiveTerm, loss: LossReason | 'released'): void;
}

const waiting: Leadership = { state: 'waiting' };
const observing: Leadership = { state: 'observing' };

export class PartitionLeadership implements TermSeat {
  readonly partition: number;
  readonly leadership: Stream<Leadership>;
  readonly #clock: Clock;
  readonly #news: PartitionListener;
  #until: Instant = longAgo;
  #term: LiveTerm | undefined;
  #endedToken = -1n;
  #drained: ((end: 'drained' | 'fenced') => void) | undefined;

  constructor(partition: number, campaign: boolean, clock: Clock, news: PartitionListener) {
    this.partition = partition;
    this.#clock = clock;
    this.#news = news;
    this.leadership = stream(campaign ? waiting : observing, () => this.refresh());
  }

  now(): Instant {
    return this.#clock.now();
  }

  /** Returns the state at the moment of the call (H5). */
  isLeading(): boolean {
    return this.#clock.now() < this.#until;
  }

  remainingMs(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  remainingMsOf(term: LiveTerm): number {
    return this.#term === term ? this.remainingMs() : 0;
  }

  current(): LiveTerm | undefined {
    return this.isLeading() ? this.#term : undefined;
  }

  get until(): Instant {
    return this.#until;
  }

  /** The token of the term that has begun and not ended. The lease may have expired. */
  get token(): bigint | undefined {
    return this.#term?.token;
  }

  runs(term: Term): boolean {
    return this.#term === term;
  }

  /** Ends an expired term first, so that subscribers never see stale state. */
  refresh(): void {
    if (this.#term !== undefined && this.#clock.now() >= this.#until) this.fence('expired');
  }

  granted({ token, until }: Grant): 'prolonged' | 'began' | 'over' {
    const now = this.#clock.now();
    if (this.#term !== undefined && now >= this.#until) this.fence('expired');
    if (this.#term?.token === token) return this.#prolong(until);
    if (token <= this.#endedToken || until <= now) return 'over';
    if (this.#term !== undefined) this.fence('superseded');
    this.#begin(token, now, until);
    return 'began';
  }

  /** Ends the term in order (H2, H3). */
  drain(timeoutMs: number): Promise<'drained' | 'fenced'> {
    const term = this.current();
    if (term === undefined || this.#drained !== undefined) return Promise.resolve('fenced');
    return new Promise((resolve) => {
      const timer = drainTimer(this.#clock, timeoutMs, {
        slow: () => this.#news.drainsSlowly(term, timeoutMs),
        timedOut: () => this.fence('drain-timed-out'),
      });
      this.#drained = (end) => {
        this.#drained = undefined;
        timer[Symbol.dispose]();
        resolve(end);
      };
      const settled = term.revoke();
      // An abort listener or a subscriber may have ended the term already.
      if (this.#term !== term) return;
      this.leadership.set({ state: 'revoking', term });
      if (this.#term !== term) return;
      this.#news.revoked(this.partition, term);
      void settled.then(() => this.#term === term && this.#drained?.('drained'));
    });
  }

  /** Ends the term in order, after its drain. */
  released(): void {
    this.#end('released', waiting);
  }

  /** Ends the term at once (H4). */
  fence(reason: LossReason): void {
    const term = this.#term;
    if (term !== undefined) this.#end(reason, { state: 'fenced', term, reason });
  }

  /** Handles the refusal of this member for good. A current term ends at once. */
  refuse(error: LeadershipError): void {
    this.fence('closed');
    this.leadership.set({ state: 'refused', error });
  }

  /** Moves from `fenced` to `waiting` once the backend has reported another leader. */
  settle(): void {
    if (this.leadership.value.state === 'fenced') this.leadership.set(waiting);
  }

  #begin(token: bigint, now: Instant, until: Instant): void {
    const term = new LiveTerm(this, token, now);
    this.#term = term;
    this.#until = until;
    this.leadership.set({ state: 'leading', term });
    this.#tellBegan(term);
  }

  /**
   * Reports the beginning of a term once, and before its end: a subscriber may end the very term
   * that it is notified of.
   */
  #tellBegan(term: LiveTerm): void {
    if (term.isTold) return;
    term.isTold = true;
    this.#news.began(this.partition, term);
  }

  #prolong(until: Instant): 'prolonged' {
    if (until > this.#until) this.#until = until;
    return 'prolonged';
  }

  #end(loss: LossReason | 'released', leadership: Leadership): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#until = longAgo;
    this.#term = undefined;
    this.#endedToken = term.token;
    term.end(loss);
    this.#drained?.('fenced');
    this.leadership.set(leadership);
    this.#tellBegan(term);
    this.#news.ended(this.partition, term, loss);
  }
}
