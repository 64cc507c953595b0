import type { LossReason } from '../contract/leadership.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { Term } from '../contract/term.ts';
import type { Moment } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';

/** How far the end of a term has come: a revocation, or the final reason. */
type Ending = 'none' | 'revoked' | 'released' | LossReason;

/** What a term needs from its partition. */
export interface TermOwner {
  readonly partition: number;
  /** Reads both clocks. */
  moment(): Moment;
  /** Returns the milliseconds until the lease of that term expires; 0 if it is over. */
  remainingMsOf(term: LiveTerm): number;
  /** Expires a term whose deadline has passed. */
  refresh(): void;
}

/**
 * The values that a term creates on first use. They are in a separate object, so that an unused
 * term needs no fields for them.
 */
interface LazyValues {
  since?: Date;
  signal?: AbortController;
  fenced?: AbortController;
  barrier?: Barrier;
}

/**
 * A term, controlled by its partition, which holds the deadline. Signals and barrier are created on
 * first use, because most terms are only asked whether they are current.
 */
export class LiveTerm implements Term {
  readonly token: bigint;
  readonly #owner: TermOwner;
  readonly #beganAt: Instant;
  #isReported = false;
  #ending: Ending = 'none';
  #lazy: LazyValues | undefined;

  constructor(owner: TermOwner, token: bigint, beganAt: Instant) {
    this.#owner = owner;
    this.token = token;
    this.#beganAt = beganAt;
  }

  get partition(): number {
    return this.#owner.partition;
  }

  /**
   * Reports the beginning of the term once, and before its end: a subscriber may end the very term
   * that it is notified of.
   */
  reportTo(listener: { began(partition: number, term: LiveTerm): void }): void {
    if (this.#isReported) return;
    this.#isReported = true;
    listener.began(this.#owner.partition, this);
  }

  get since(): Date {
    const lazy = this.#lazyValues();
    if (lazy.since === undefined) {
      const { now, wallMicros } = this.#owner.moment();
      lazy.since = new Date(wallMicros / 1000 - (now - this.#beganAt));
    }
    return lazy.since;
  }

  get signal(): AbortSignal {
    this.#owner.refresh();
    const lazy = this.#lazyValues();
    lazy.signal ??= new AbortController();
    if (this.#ending !== 'none' && !lazy.signal.signal.aborted) lazy.signal.abort(this.#reason());
    return lazy.signal.signal;
  }

  get fenced(): AbortSignal {
    this.#owner.refresh();
    const lazy = this.#lazyValues();
    lazy.fenced ??= new AbortController();
    if (this.#isOver() && !lazy.fenced.signal.aborted) lazy.fenced.abort(this.#reason());
    return lazy.fenced.signal;
  }

  isCurrent(): boolean {
    return this.#owner.remainingMsOf(this) > 0;
  }

  remainingMs(): number {
    return this.#owner.remainingMsOf(this);
  }

  waitUntil(done: PromiseLike<unknown>): void {
    this.#owner.refresh();
    if (this.#isOver() || this.#lazy?.barrier?.sealed === true) {
      // The caller receives this error, so a rejection of `done` must not end the process as
      // unhandled.
      Promise.resolve(done).catch(() => undefined);
      throw this.#reason();
    }
    this.#barrier().add(done);
  }

  toJSON(): ReturnType<Term['toJSON']> {
    return {
      partition: this.partition,
      token: this.token.toString(),
      since: this.since.toISOString(),
    };
  }

  /** Begins the orderly end (H2). Resolves once the barrier has settled. */
  revoke(): Promise<void> {
    this.#ending = 'revoked';
    this.#lazy?.signal?.abort(this.#reason());
    return this.settled();
  }

  /** Whether work runs that an orderly end waits for. */
  get isWorking(): boolean {
    return this.#lazy?.barrier?.isPending === true;
  }

  /** Resolves once all work under the barrier has settled. Nothing can be added from then on. */
  settled(): Promise<void> {
    return this.#barrier().settled();
  }

  /** Ends the term; `released` after an orderly end. */
  end(loss: LossReason | 'released'): void {
    this.#ending = loss;
    this.#lazy?.signal?.abort(this.#reason());
    this.#lazy?.fenced?.abort(this.#reason());
  }

  #lazyValues(): LazyValues {
    this.#lazy ??= {};
    return this.#lazy;
  }

  #barrier(): Barrier {
    const lazy = this.#lazyValues();
    lazy.barrier ??= barrier();
    return lazy.barrier;
  }

  #isOver(): boolean {
    return this.#ending !== 'none' && this.#ending !== 'revoked';
  }

  #reason(): LeadershipError {
    const term = `term ${this.token} of partition ${this.partition}`;
    if (this.#ending === 'revoked')
      return new LeadershipError('revoked', `${term} is ending: the successor waits for this work`);
    return new LeadershipError(
      'fenced',
      `${term} is over (${this.#ending}): another member may act now`,
    );
  }
}

/** The promises that an orderly end waits for (H2). They can be added until it is sealed. */
interface Barrier {
  add(done: PromiseLike<unknown>): void;
  /**
   * Resolves once every promise has settled, including those added meanwhile. Then the barrier is
   * sealed.
   */
  settled(): Promise<void>;
  readonly sealed: boolean;
  /** Whether a promise that was added has not settled. */
  readonly isPending: boolean;
}

function barrier(): Barrier {
  let pending = 0;
  let isSealed = false;
  let opened: (() => void) | undefined;
  let opening: Promise<void> | undefined;
  const seal = (): void => {
    if (pending > 0 || opened === undefined) return;
    isSealed = true;
    opened();
  };
  const settle = (): void => {
    pending -= 1;
    seal();
  };
  return {
    add(done) {
      pending += 1;
      Promise.resolve(done).then(settle, settle);
    },
    settled() {
      opening ??= new Promise((resolve) => {
        opened = resolve;
        seal();
      });
      return opening;
    },
    get sealed() {
      return isSealed;
    },
    get isPending() {
      return pending > 0;
    },
  };
}
