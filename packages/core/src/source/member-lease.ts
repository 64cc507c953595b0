// The lease of a member: one deadline, and one timer, for all terms that rest on it.
import { type Alarm, alarm } from '../time/alarm.ts';
import type { Clock } from '../time/clock.ts';
import { type Instant, longAgo } from '../time/instant.ts';
import { Deadline } from './belief.ts';
import type { PartitionLeadership } from './partition-leadership.ts';

/**
 * The lease on which the terms of a member rest. A deadline that has passed is never moved: a later
 * lease has a deadline of its own, so that it revives no term of the lease before (T3, H4).
 */
export class MemberLease implements Disposable {
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #expire: () => void;
  #deadline: Deadline = new Deadline();
  /** The partitions whose terms end with the deadline. */
  #partitions: Set<number> = new Set();

  /** `expire` ends the terms whose deadline has passed. */
  constructor(clock: Clock, expire: () => void) {
    this.#clock = clock;
    this.#expire = expire;
    this.#alarm = alarm(clock, expire);
  }

  get until(): Instant {
    return this.#deadline.until;
  }

  get hasTerms(): boolean {
    return this.#partitions.size > 0;
  }

  /** Begins a term on the lease, or confirms it. */
  granted(leadership: PartitionLeadership, token: bigint): 'prolonged' | 'began' | 'over' {
    const deadline = this.#deadline;
    const answer = leadership.grantedUntil(deadline, token, this.#clock.now());
    // The subscribers may have ended the term, or the lease.
    if (answer === 'began' && leadership.endsWith(deadline)) this.#add(leadership, deadline);
    return answer;
  }

  /** Processes a proof of the lease that arrived at `now`. The latest deadline counts (M2). */
  prolong(until: Instant, now: Instant): 'prolonged' | 'began' | 'over' {
    if (now < this.#deadline.until) {
      if (until > this.#deadline.until) this.#deadline.until = until;
      if (this.hasTerms) this.#alarm.set(0, this.#deadline.until);
      return 'prolonged';
    }
    const isValid = until > now;
    this.#begin(isValid ? until : longAgo);
    this.#expire();
    return isValid ? 'began' : 'over';
  }

  /** The term of that partition has ended. */
  ended(partition: number): void {
    this.#partitions.delete(partition);
  }

  /** Ends the lease at once. The caller ends its terms. */
  void(): void {
    this.#deadline.until = longAgo;
    this.#begin(longAgo);
  }

  [Symbol.dispose](): void {
    this.#alarm[Symbol.dispose]();
  }

  #add(leadership: PartitionLeadership, deadline: Deadline): void {
    if (this.#deadline !== deadline) return leadership.refresh();
    this.#partitions.add(leadership.partition);
    this.#alarm.set(0, deadline.until);
  }

  /** Replaces the deadline. */
  #begin(until: Instant): void {
    this.#deadline = new Deadline();
    this.#deadline.until = until;
    this.#partitions = new Set();
  }
}
