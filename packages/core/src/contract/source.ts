import type { Observable } from 'rxjs';
import type { LeadershipEvent } from './event.ts';
import type { Guarantees } from './guarantees.ts';
import type { Health } from './health.ts';
import type { Roster } from './leader.ts';
import type { GroupMember } from './member.ts';
import type { Abortable } from './options.ts';
import type { LeadOptions, Role, Work } from './role.ts';
import type { Term } from './term.ts';

/** One member of a group: competes for leadership and reports the leaders. */
export interface LeadershipSource extends AsyncDisposable {
  /** The name of the group. */
  readonly group: string;
  /** The name of this member. */
  readonly member: string;
  /** M, the number of partitions (R3). */
  readonly partitions: number;
  /** What this source guarantees under its options. Constant. */
  readonly guarantees: Guarantees;
  /**
   * Resolves once the backend has answered and the group's pin agrees. A voter of gossip also waits
   * until it votes; it may lead before. Waits for an unreachable backend until `signal` aborts.
   *
   * @throws LeadershipError `unauthorized`, `partitions-differ`, `misconfigured-backend` or
   * `closed`; the signal's reason when it aborts.
   */
  ready(options?: Abortable): Promise<void>;
  /** Returns the role of that name or number. Creating a new role moves no leadership (R2). */
  role(key: string | number): Role;
  /** Runs `work` like `Role.lead`, once for each partition that this member leads. */
  leadEach(work: Work, options?: LeadOptions): Promise<void>;
  /** Returns the partitions that this member leads now. */
  held(): ReadonlyMap<number, Term>;
  /** The terms in which this member leads now, by partition. */
  readonly held$: Observable<ReadonlyMap<number, Term>>;
  /** Returns the known leader of each partition, as far as this member has read. */
  roster(): Roster;
  /** The known leaders, by partition. */
  readonly roster$: Observable<Roster>;
  /**
   * Returns the present members of the group, as far as this member has read, in the order of their
   * names. An observer that writes nothing is none of them. Empty in a group with `guarantee=continuous` on
   * Kafka, whose followers send nothing. One that was killed is listed for T and one reading.
   */
  members(): readonly GroupMember[];
  /** The present members. Emits once for all changes of a turn of the event loop. */
  readonly members$: Observable<readonly GroupMember[]>;
  /** All events from subscription on; nothing is replayed. */
  readonly events$: Observable<LeadershipEvent>;
  /** Returns the current health of the source. */
  health(): Health;
  /**
   * Drains, hands over and ends. Idempotent. When `signal` aborts, it waits for no work any more:
   * terms whose work still runs are fenced, and their leases lapse. The others are released, for which
   * the store has T/3. If called from work that the drain waits for, resolves as soon as the
   * revocation has begun, so that work can await it.
   */
  close(options?: Abortable): Promise<void>;
  /**
   * Returns the source as plain data: identity, guarantees, health, held partitions and leaders,
   * with tokens as decimal strings.
   */
  toJSON(): Readonly<Record<string, unknown>>;
}
