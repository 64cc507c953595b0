import type { Observable, ObservableInput } from 'rxjs';
import type { Leader } from '../contract/leader.ts';
import type { Leadership } from '../contract/leadership.ts';
import type { LeadOptions, Role, Work } from '../contract/role.ts';
import type { Term } from '../contract/term.ts';
import { drainedFor } from '../process/work-scope.ts';
import { checkWork } from './check-work.ts';
import { iterate } from './iterate.ts';
import { type LeadContext, lead } from './lead.ts';
import type { Leaders } from './leaders.ts';
import { runWork } from './run-work.ts';
import type { Stream } from './stream.ts';
import { whileLeading } from './while-leading.ts';

/** The state that a role reads. */
export interface RoleContext {
  readonly seat: RoleSeat;
  readonly leaders: Pick<Leaders, 'leader' | 'leader$'>;
  readonly leading: LeadContext;
}

/** The leadership state of the role's partition. */
export interface RoleSeat {
  readonly partition: number;
  readonly leadership: Stream<Leadership>;
  isLeading(): boolean;
  remainingMs(): number;
  current(): Term | undefined;
  /** Returns whether that term has begun here and not ended. */
  runs(term: Term): boolean;
  /** Expires a term whose deadline has passed. */
  refresh(): void;
}

export class RoleView implements Role {
  readonly key: string | number;
  readonly #seat: RoleSeat;
  readonly #world: RoleContext;

  constructor(key: string | number, world: RoleContext) {
    this.key = key;
    this.#seat = world.seat;
    this.#world = world;
  }

  get partition(): number {
    return this.#seat.partition;
  }

  get leadership$(): Observable<Leadership> {
    return this.#seat.leadership.value$;
  }

  get leader$(): Observable<Leader | undefined> {
    return this.#world.leaders.leader$(this.partition);
  }

  isLeading(): boolean {
    return this.#seat.isLeading();
  }

  remainingMs(): number {
    return this.#seat.remainingMs();
  }

  term(): Term | undefined {
    return this.#seat.current();
  }

  leader(): Leader | undefined {
    return this.#world.leaders.leader(this.partition);
  }

  lead(work: Work, options: LeadOptions = {}): Promise<void> {
    return lead(this.#world.leading, work, options);
  }

  ifLeading<T>(work: Work<T>): Promise<T> | undefined {
    checkWork(work);
    this.#seat.refresh();
    const leadership = this.#seat.leadership.value;
    return leadership.state === 'leading' ? runWork(leadership.term, work) : undefined;
  }

  whileLeading<T>(project: (term: Term) => ObservableInput<T>): Observable<T> {
    checkWork(project, 'project');
    return whileLeading(this.leadership$, project);
  }

  resign(): Promise<void> {
    const isDrained = (term: Term): boolean => this.#seat.runs(term);
    return drainedFor(this.#world.leading.resign(0), isDrained);
  }

  toJSON(): Readonly<Record<string, unknown>> {
    this.#seat.refresh();
    return {
      key: this.key,
      partition: this.partition,
      leadership: this.#seat.leadership.value,
      leader: this.leader(),
    };
  }

  [Symbol.asyncIterator](): AsyncIterator<Leadership, undefined> {
    return iterate(this.leadership$);
  }
}
