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
import { type Clock, type Moment, momentOf } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import { Belief, type BeliefListener, type Deadline } from './belief.ts';
import { LiveTerm, type TermOwner } from './live-term.ts';
import { type Stream, stream } from './stream.ts';

/** Receives changes of a partition's leadership, after its own stream. */
export interface PartitionListener {
  /** A term that expires at `until` has begun, and nothing is notified of it yet. */
  begins(partition: number, until: Instant): void;
  /** A term has ended, and nothing is notified of it yet. */
  ends(partition: number): void;
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

export class PartitionLeadership implements TermOwner, BeliefListener {
  readonly partition: number;
  readonly states: Stream<Leadership>;
  readonly #clock: Clock;
  readonly #listener: PartitionListener;
  readonly #belief: Belief;
  #term: LiveTerm | undefined;

  constructor(partition: number, campaign: boolean, clock: Clock, listener: PartitionListener) {
    this.partition = partition;
    this.#clock = clock;
    this.#listener = listener;
    this.#belief = new Belief(clock, this);
    this.states = stream(campaign ? waiting : observing, () => this.refresh());
  }

  moment(): Moment {
    return momentOf(this.#clock);
  }

  /** Returns the state at the moment of the call (H5). */
  isLeading(): boolean {
    return this.#belief.isLeading();
  }

  remainingMs(): number {
    return Math.max(0, this.#belief.until - this.#clock.now());
  }

  remainingMsOf(term: LiveTerm): number {
    return this.#term === term ? this.remainingMs() : 0;
  }

  current(): LiveTerm | undefined {
    return this.isLeading() ? this.#term : undefined;
  }

  get until(): Instant {
    return this.#belief.until;
  }

  /** The token of the term that has begun and not ended. The lease may have expired. */
  get token(): bigint | undefined {
    return this.#belief.token;
  }

  runs(term: Term): boolean {
    return this.#term === term;
  }

  /** Ends an expired term first, so that subscribers never see stale state. */
  refresh(): void {
    this.#belief.refresh();
  }

  granted(grant: Grant, now: Instant): 'prolonged' | 'began' | 'over' {
    return this.#belief.granted(grant, now);
  }

  /** Processes a proof of a term that ends with a deadline which other terms share. */
  grantedUntil(deadline: Deadline, token: bigint, now: Instant): 'prolonged' | 'began' | 'over' {
    return this.#belief.grantedUntil(deadline, token, now);
  }

  /** Returns whether the current term ends with that deadline. */
  endsWith(deadline: Deadline): boolean {
    return this.#belief.endsWith(deadline);
  }

  /** Ends the term in order (H2, H3). */
  drain(timeoutMs: number): Promise<'drained' | 'fenced'> {
    return new Promise((resolve) => this.#belief.drain(timeoutMs, resolve));
  }

  /** Ends the term in order, after its drain. */
  released(): void {
    this.#belief.end('released');
  }

  /** Whether work runs that an orderly end of the term waits for. */
  get isWorking(): boolean {
    return this.#term?.isWorking === true;
  }

  /** Ends the term at once (H4). */
  fence(reason: LossReason): void {
    this.#belief.end(reason);
  }

  /** Handles the refusal of this member for good. A current term ends at once. */
  refuse(error: LeadershipError): void {
    this.fence('closed');
    this.states.set({ state: 'refused', error });
  }

  /** Moves from `fenced` to `waiting` once the backend has reported another leader. */
  settle(): void {
    if (this.states.value.state === 'fenced') this.states.set(waiting);
  }

  began(token: bigint, now: Instant): void {
    const term = new LiveTerm(this, token, now);
    this.#term = term;
    this.#listener.begins(this.partition, this.#belief.until);
    this.states.set({ state: 'leading', term });
    term.reportTo(this.#listener);
  }

  revoked(token: bigint): void {
    const term = this.#term;
    if (term === undefined) return;
    const settled = term.revoke();
    // An abort listener or a subscriber may have ended the term already.
    if (this.#term !== term) return;
    this.states.set({ state: 'revoking', term });
    if (this.#term !== term) return;
    this.#listener.revoked(this.partition, term);
    void settled.then(() => this.#belief.drained(token));
  }

  drainsSlowly(timeoutMs: number): Disposable | undefined {
    return this.#term && this.#listener.drainsSlowly(this.#term, timeoutMs);
  }

  ended(_token: bigint, loss: LossReason | 'released'): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    this.#listener.ends(this.partition);
    term.end(loss);
    this.states.set(loss === 'released' ? waiting : { state: 'fenced', term, reason: loss });
    term.reportTo(this.#listener);
    this.#listener.ended(this.partition, term, loss);
  }
}
