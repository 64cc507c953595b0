import type { Observable, ObservableInput } from 'rxjs';
import type { Guarantees } from '../contract/guarantees.ts';
import type { Leader } from '../contract/leader.ts';
import type { Leadership } from '../contract/leadership.ts';
import type { LeadOptions, Role, Work } from '../contract/role.ts';
import type { Term } from '../contract/term.ts';
import { drainedFor } from '../process/work-scope.ts';
import { checkWork } from './check-work.ts';
import { type LeadContext, lead } from './lead.ts';
import type { Leaders } from './leaders.ts';
import { failoverMsOf, type RoleTools, roleTools } from './role-tools.ts';
import { runWork } from './run-work.ts';
import type { Stream } from './stream.ts';
import { whileLeading } from './while-leading.ts';

/** The state that a role reads. */
export interface RoleContext {
  readonly leadership: RoleLeadership;
  readonly leaders: Pick<Leaders, 'leader' | 'leader$'>;
  readonly leadContext: LeadContext;
  /** Returns the guarantees of the source. */
  readonly guarantees: () => Guarantees;
  /** Makes the tokens of later terms exceed `token`, where the protocol can. */
  readonly exceed: (token: bigint) => void;
  /** Returns how texts of the group are replaced, if it keeps any. */
  readonly replaceText?: () => RoleTools['replaceText'];
}

/** The leadership state of the role's partition. */
export interface RoleLeadership {
  readonly partition: number;
  readonly states: Stream<Leadership>;
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
  readonly #leadership: RoleLeadership;
  readonly #context: RoleContext;

  constructor(key: string | number, context: RoleContext) {
    this.key = key;
    this.#leadership = context.leadership;
    this.#context = context;
  }

  tools(): RoleTools {
    const { guarantees, leadContext, exceed, replaceText } = this.#context;
    const { thresholdMs, trouble } = leadContext;
    return {
      guarantees: guarantees(),
      failoverMs: failoverMsOf(guarantees(), thresholdMs),
      trouble,
      exceed,
      replaceText: replaceText?.(),
    };
  }

  get partition(): number {
    return this.#leadership.partition;
  }

  get leadership$(): Observable<Leadership> {
    return this.#leadership.states.value$;
  }

  get leader$(): Observable<Leader | undefined> {
    return this.#context.leaders.leader$(this.partition);
  }

  isLeading(): boolean {
    return this.#leadership.isLeading();
  }

  remainingMs(): number {
    return this.#leadership.remainingMs();
  }

  term(): Term | undefined {
    return this.#leadership.current();
  }

  leader(): Leader | undefined {
    return this.#context.leaders.leader(this.partition);
  }

  lead(work: Work, options: LeadOptions = {}): Promise<void> {
    return lead(this.#context.leadContext, work, options);
  }

  ifLeading<T>(work: Work<T>): Promise<T> | undefined {
    checkWork(work);
    this.#leadership.refresh();
    const leadership = this.#leadership.states.value;
    return leadership.state === 'leading' ? runWork(leadership.term, work) : undefined;
  }

  whileLeading<T>(project: (term: Term) => ObservableInput<T>): Observable<T> {
    checkWork(project, 'project');
    return whileLeading(this.leadership$, project);
  }

  resign(): Promise<void> {
    const isDrained = (term: Term): boolean => this.#leadership.runs(term);
    return drainedFor(this.#context.leadContext.resign(0), isDrained);
  }

  toJSON(): Readonly<Record<string, unknown>> {
    this.#leadership.refresh();
    return {
      key: this.key,
      partition: this.partition,
      leadership: this.#leadership.states.value,
      leader: this.leader(),
    };
  }

  [Symbol.asyncIterator](): AsyncIterator<Leadership, undefined> {
    return iterate(this.leadership$);
  }
}

// Not public, so it has no name that an application sees.
Object.defineProperty(RoleView.prototype, roleTools, {
  get(this: RoleView) {
    return this.tools();
  },
});

/**
 * Returns an async iterator over an observable. It buffers at most the latest value; ending the
 * iteration early unsubscribes at once.
 */
function iterate<T>(source$: Observable<T>): AsyncIterator<T, undefined> {
  let buffered: { readonly value: T } | undefined;
  let isOver = false;
  let waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
  const end = (): void => {
    isOver = true;
    for (const resolve of waiting) resolve({ done: true, value: undefined });
    waiting = [];
  };
  const next = (value: T): void => {
    const resolve = waiting.shift();
    if (resolve) resolve({ done: false, value });
    else buffered = { value };
  };
  const subscription = source$.subscribe({ next, complete: end });
  return {
    next() {
      if (buffered) {
        const { value } = buffered;
        buffered = undefined;
        return Promise.resolve({ done: false, value });
      }
      return isOver
        ? Promise.resolve({ done: true, value: undefined })
        : new Promise((resolve) => waiting.push(resolve));
    },
    return() {
      subscription.unsubscribe();
      buffered = undefined;
      end();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
