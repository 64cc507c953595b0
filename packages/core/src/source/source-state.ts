// The visible state of a source: the leadership of each partition, and the streams beside it. The
// partitions hold the state; everything else is notified in this order: term ends → signals →
// leadership$ → held$ → leader$ → events$.
import type { Grant, KnownLeader, KnownMember, MemberGrant } from '../contract/backend.ts';
import type { LeadershipEventKind } from '../contract/event.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { TermEnd } from '../contract/term-end.ts';
import { type Reporter, reporterOf } from '../process/trouble-reporter.ts';
import { type Alarm, alarm } from '../time/alarm.ts';
import type { Clock } from '../time/clock.ts';
import { type Instant, longAgo, never } from '../time/instant.ts';
import type { SuspendWatch } from '../time/suspend-watch.ts';
import { EventLog } from './event-log.ts';
import { detailsOf, type EventDetails, eventOf } from './event-record.ts';
import { type HealthTracker, healthTracker } from './health-tracker.ts';
import { type Held, heldOf } from './held.ts';
import { type Leaderless, leaderless, leaderlessMs } from './leaderless.ts';
import { type Leaders, leaders } from './leaders.ts';
import type { LiveTerm } from './live-term.ts';
import { MemberLease } from './member-lease.ts';
import { type Members, membersOf } from './members.ts';
import { PartitionLeadership, type PartitionListener } from './partition-leadership.ts';
import { OwnPublication } from './publication.ts';
import { RenewalMeter } from './renewal-meter.ts';
import { slowDrain } from './slow-drain.ts';
import { type StandbyWatch, standbyWatch } from './standby-watch.ts';
import { TermEnds } from './term-ends.ts';
import { Touched } from './touched.ts';

export class SourceState implements PartitionListener {
  readonly incarnation: string;
  readonly clock: Clock;
  readonly leaderships: readonly PartitionLeadership[];
  readonly held: Held;
  readonly leaders: Leaders;
  readonly healthTracker: HealthTracker;
  readonly events: EventLog;
  readonly reporter: Reporter;
  readonly leaderless: Leaderless;
  readonly members: Members;
  readonly publication: OwnPublication = new OwnPublication();
  readonly #standbys: StandbyWatch;
  readonly #termEnds = new TermEnds();
  readonly #touched: Touched;
  readonly #options: ResolvedOptions;
  readonly #alarm: Alarm;
  /** The leases of this member: one, unless its store consists of several (M12). */
  readonly #leases: MemberLease[] = [];
  readonly #suspends: SuspendWatch;
  readonly #renewals: RenewalMeter = new RenewalMeter();
  #sleptAt: Instant = longAgo;
  /** No term that has not been ended expires before. */
  #firstUntil: Instant = never;
  /** When the timer of the terms with a deadline of their own is due. None expires before. */
  #wakesAt: Instant = never;

  constructor(
    options: ResolvedOptions,
    guarantees: Guarantees,
    clock: Clock,
    suspends: SuspendWatch,
    incarnation: string = crypto.randomUUID(),
  ) {
    this.incarnation = incarnation;
    this.#options = options;
    this.#touched = new Touched(options.partitions);
    this.events = new EventLog(options.group);
    this.clock = clock;
    this.#suspends = suspends;
    this.#alarm = alarm(clock, () => {
      this.#wakesAt = never;
      this.#expire();
      if (this.#firstUntil < this.#wakesAt) this.#wake(this.#firstUntil);
    });
    this.leaderships = Array.from(
      { length: options.partitions },
      (_, partition) => new PartitionLeadership(partition, options.campaign, clock, this),
    );
    const touchExpired = (): void => this.#touchExpired();
    const refresh = (): void => this.#endExpired();
    const terms = { leaderships: this.leaderships, touchExpired, refresh };
    this.held = heldOf(this.#touched, terms);
    this.leaders = leaders({ ...terms, incarnation, options });
    const { group, member, log, thresholdMs } = options;
    this.reporter = reporterOf({
      group,
      member,
      clock,
      thresholdMs,
      ...(log !== undefined && { log }),
    });
    this.healthTracker = healthTracker(clock, {
      reporter: this.reporter,
      measured: () => this.#renewals.measured(),
      publish: () => this.publication.trouble(this.healthTracker.health().troubles[0]?.code),
      emit: (kind, details) => this.emit(kind, details),
    });
    const limitMs = leaderlessMs(guarantees, options.thresholdMs, options.thresholdMsMax);
    this.leaderless = leaderless({
      partitions: options.partitions,
      clock,
      limitMs,
      trouble: (complaint) => this.healthTracker.trouble(complaint),
    });
    this.#standbys = standbyWatch({
      clock,
      limitMs,
      isReading: () => (this.healthTracker.health().confirmedMsAgo ?? limitMs) < limitMs,
      warning: (complaint) => this.healthTracker.warning(complaint),
    });
    this.members = membersOf({
      incarnation: this.incarnation,
      partitions: options.partitions,
      clock,
      led: () => this.leaders.led(),
    });
  }

  granted(grant: Grant | MemberGrant): 'prolonged' | 'began' | 'over' {
    const leadership = this.leaderships[grant.partition];
    if (leadership === undefined || this.#hasSlept()) return 'over';
    if (grant.until === undefined) return this.#grantedByLease(leadership, grant);
    if (grant.sentAt < this.#sleptAt) return 'over';
    const { until } = leadership;
    // One reading of the clock serves all that follows. It precedes the subscribers, which may be
    // slow.
    const now = this.clock.now();
    const answer = leadership.granted(grant, now);
    if (answer === 'over') return answer;
    // Prolonging a term sets no timer: at the old deadline, the timer looks for the next one.
    if (grant.until < this.#wakesAt) this.#wake(grant.until);
    this.#renewals.arrived(now, grant.sentAt, answer === 'prolonged' ? until : never);
    return answer;
  }

  #grantedByLease(
    leadership: PartitionLeadership,
    { lease, token }: MemberGrant,
  ): 'prolonged' | 'began' | 'over' {
    return this.#leaseOf(lease).granted(leadership, token);
  }

  /** Processes a proof of the lease of this member. */
  prolonged(until: Instant, sentAt: Instant, index?: number): 'prolonged' | 'began' | 'over' {
    if (this.#hasSlept() || sentAt < this.#sleptAt) return 'over';
    const lease = this.#leaseOf(index);
    const { until: before, hasTerms } = lease;
    const now = this.clock.now();
    const answer = lease.prolong(until, now);
    if (answer === 'prolonged' && hasTerms) this.#renewals.arrived(now, sentAt, before);
    return answer;
  }

  /** Processes a leader that the backend reported. A fenced partition waits again from here on. */
  leads(partition: number, known: KnownLeader | undefined, ended?: TermEnd): void {
    this.leaderships[partition]?.settle();
    const isElsewhere = known !== undefined && known.incarnation !== this.incarnation;
    this.leaderless.set(
      partition,
      isElsewhere || this.leaderships[partition]?.isLeading() === true,
    );
    if (!this.leaders.set(partition, known)) return;
    this.members.changed();
    const before = this.#termEnds.leads(partition, known, ended, this.clock.now());
    const leader = known && { leader: known.member, token: known.token };
    this.emit('leader', { partition, ...leader, ...before });
  }

  /** Processes the present members that the backend reported. */
  present(members: readonly KnownMember[]): void {
    this.members.set(members);
    this.#standbys.set(members);
  }

  begins(partition: number, until: Instant): void {
    if (until < this.#firstUntil) this.#firstUntil = until;
    this.#touched.add(partition);
  }

  ends(partition: number): void {
    this.#touched.add(partition);
    this.members.changed();
    this.leaders.touch(partition);
  }

  began(partition: number, { token }: LiveTerm): void {
    this.held.changed();
    this.leaders.began(partition);
    this.members.changed();
    this.leaderless.set(partition, true);
    if (this.events.observed) this.emit('acquired', { partition, token });
  }

  revoked(partition: number, { token }: LiveTerm): void {
    this.emit('revoked', { partition, token });
  }

  drainsSlowly(term: LiveTerm, timeoutMs: number): Disposable {
    return this.healthTracker.warning(slowDrain(term, timeoutMs));
  }

  ended(partition: number, { token }: LiveTerm, loss: LossReason | 'released'): void {
    for (const lease of this.#leases) lease.ended(partition);
    this.held.changed();
    this.leaders.ended(partition);
    this.#termEnds.ended(partition, token, loss, this.clock.now());
    // With overlapping terms, the backend has already reported the successor and will not report it
    // again (I1).
    this.leaderless.set(partition, this.leaders.leader(partition) !== undefined);
    this.emit(loss === 'released' ? 'released' : 'fenced', {
      partition,
      token,
      ...(loss !== 'released' && { reason: loss }),
    });
  }

  emit(kind: LeadershipEventKind, details?: EventDetails): void {
    if (this.events.observed)
      this.events.emit(eventOf(kind, this.#options.member, this.clock, details));
  }

  /**
   * Handles the refusal of this member: every stream except the events ends with it as the last
   * value.
   */
  refused(error: LeadershipError): void {
    const refusal = this.healthTracker.refused(error);
    this.reporter.raised('trouble', refusal);
    for (const leadership of this.leaderships) leadership.refuse(error);
    for (const { partition } of this.leaderships) this.leaders.set(partition, undefined);
    this.#endStreams();
    this.emit('refused', detailsOf(refusal));
  }

  /** Ends the terms at once whose work still runs. Their leases are left to lapse (H3). */
  fenceWorking(reason: LossReason): void {
    for (const leadership of this.leaderships) if (leadership.isWorking) leadership.fence(reason);
  }

  fenceAll(reason: LossReason): void {
    for (const leadership of this.leaderships) leadership.fence(reason);
  }

  /** Ends every remaining term and completes every stream. */
  complete(): void {
    this.fenceAll('closed');
    this.#alarm[Symbol.dispose]();
    for (const lease of this.#leases) lease[Symbol.dispose]();
    this.reporter[Symbol.dispose]();
    this.#endStreams();
    this.emit('closed');
    this.events.complete();
  }

  #leaseOf(index = 0): MemberLease {
    while (this.#leases.length <= index)
      this.#leases.push(new MemberLease(this.clock, () => this.#expire()));
    return this.#leases[index] as MemberLease;
  }

  #endStreams(): void {
    this.leaderless[Symbol.dispose]();
    this.#standbys[Symbol.dispose]();
    for (const leadership of this.leaderships) leadership.states.complete();
    this.held.complete();
    this.leaders.complete();
    this.members.complete();
  }

  #expire(): void {
    if (!this.#hasSlept()) this.#endExpired();
  }

  /** Ends the terms whose deadline has passed. */
  #endExpired(): void {
    if (this.clock.now() < this.#firstUntil) return;
    for (const leadership of this.#expired()) leadership.refresh();
  }

  /** Touches the terms whose deadline has passed, and leaves it to the timer to end them. */
  #touchExpired(): void {
    if (this.clock.now() < this.#firstUntil) return;
    if (this.#expired().length > 0) this.#firstUntil = longAgo;
  }

  /**
   * Touches and returns the partitions whose term has expired and has not been ended: all, before
   * the end of the first is notified.
   */
  #expired(): readonly PartitionLeadership[] {
    const now = this.clock.now();
    const expired: PartitionLeadership[] = [];
    let firstUntil = never;
    for (const leadership of this.leaderships) {
      if (leadership.token === undefined) continue;
      const { partition, until } = leadership;
      if (until < firstUntil && until > now) firstUntil = until;
      if (until > now) continue;
      this.ends(partition);
      expired.push(leadership);
    }
    this.#firstUntil = firstUntil;
    return expired;
  }

  /** Wakes when a term with a deadline of its own may have expired. */
  #wake(at: Instant): void {
    this.#wakesAt = at;
    this.#alarm.set(0, at);
  }

  /**
   * H6: Checks for sleep, once per renewal and per gap in the event loop. Every term that was
   * current before the sleep is over.
   */
  #hasSlept(): boolean {
    if (!this.#suspends.slept()) return false;
    this.#endAllAfterSleep();
    return true;
  }

  #endAllAfterSleep(): void {
    this.#sleptAt = this.clock.now();
    for (const lease of this.#leases) lease.void();
    this.#expired();
    this.fenceAll('suspended');
  }
}
