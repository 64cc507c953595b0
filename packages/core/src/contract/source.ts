import type { Observable } from 'rxjs';
import type { LeadershipEvent } from './event.ts';
import type { Guarantees } from './guarantees.ts';
import type { Health } from './health.ts';
import type { Roster } from './leader.ts';
import type { Abortable } from './options.ts';
import type { LeadOptions, Role, Work } from './role.ts';
import type { Term } from './term.ts';

/** One member of a group: asks for leadership, tells who has it. */
export interface LeadershipSource extends AsyncDisposable {
  readonly group: string;
  readonly member: string;
  /** M (R3). */
  readonly partitions: number;
  readonly guarantees: Guarantees;
  /**
   * Resolves once the backend has answered and the group's pin agrees. An unreachable backend is waited for, until `signal` aborts.
   * @throws LeadershipError `unauthorized`, `partitions-differ`, `misconfigured-backend` or `closed`; the signal's reason when it aborts.
   */
  ready(options?: Abortable): Promise<void>;
  /** The role of that name or number. Asking about a new role moves nothing (R2). */
  role(key: string | number): Role;
  /** Like `Role.lead`, once for each partition held here. */
  leadEach(work: Work, options?: LeadOptions): Promise<void>;
  /** The partitions this member leads now. */
  held(): ReadonlyMap<number, Term>;
  readonly held$: Observable<ReadonlyMap<number, Term>>;
  /** Who leads what, as far as this member has read. */
  roster(): Roster;
  readonly roster$: Observable<Roster>;
  /** Everything that happens, not replayed. */
  readonly events$: Observable<LeadershipEvent>;
  /** How the source fares, at this moment. */
  health(): Health;
  /**
   * Drains, hands over, ends. Idempotent. When `signal` aborts, draining stops and what is left is fenced. Called from inside work
   * that it waits for, it resolves as soon as the revocation has begun: work that awaits it does not wait for itself.
   */
  close(options?: Abortable): Promise<void>;
  /** The source as plain data: who it is, its guarantees, its health, what it holds and who leads; tokens as decimal strings. */
  toJSON(): Readonly<Record<string, unknown>>;
}
