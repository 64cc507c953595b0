import type { LossReason } from '../contract/leadership.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { Term, TermJson } from '../contract/term.ts';
import type { Instant } from '../time/instant.ts';
import { type Barrier, barrier } from './barrier.ts';

/** How a term's end has come so far: by a revoke, then by losing belief; or by losing belief at once. Over, it says why. */
type Ending = 'none' | 'revoked' | 'released' | LossReason;

/** What a term needs of the seat it is a term of. */
export interface TermSeat {
  readonly partition: number;
  now(): Instant;
  /** Milliseconds of belief left in that term now: 0 where it is over. */
  remainingMsOf(term: LiveTerm): number;
  /** Lets a deadline pass that has passed. */
  refresh(): void;
}

/** What a term makes when it is first asked for. In an object of its own: a term that nobody asks costs no field of it. */
interface Asked {
  since?: Date;
  signal?: AbortController;
  fenced?: AbortController;
  barrier?: Barrier;
}

/**
 * A term as its seat runs it. How long it is believed in, the seat alone knows. Signals and barrier are made when first asked
 * for: most terms are only asked whether they are current.
 */
export class LiveTerm implements Term {
  readonly token: bigint;
  /** Whether everyone was told that it began. */
  isTold = false;
  readonly #seat: TermSeat;
  readonly #beganAt: Instant;
  #ending: Ending = 'none';
  #asked: Asked | undefined;

  constructor(seat: TermSeat, token: bigint, beganAt: Instant) {
    this.#seat = seat;
    this.token = token;
    this.#beganAt = beganAt;
  }

  get partition(): number {
    return this.#seat.partition;
  }

  get since(): Date {
    const asked = this.#asking();
    asked.since ??= new Date(Date.now() - (this.#seat.now() - this.#beganAt));
    return asked.since;
  }

  get signal(): AbortSignal {
    this.#seat.refresh();
    const asked = this.#asking();
    asked.signal ??= new AbortController();
    if (this.#ending !== 'none' && !asked.signal.signal.aborted) asked.signal.abort(this.#reason());
    return asked.signal.signal;
  }

  get fenced(): AbortSignal {
    this.#seat.refresh();
    const asked = this.#asking();
    asked.fenced ??= new AbortController();
    if (this.#isOver() && !asked.fenced.signal.aborted) asked.fenced.abort(this.#reason());
    return asked.fenced.signal;
  }

  isCurrent(): boolean {
    return this.#seat.remainingMsOf(this) > 0;
  }

  remainingMs(): number {
    return this.#seat.remainingMsOf(this);
  }

  waitUntil(done: PromiseLike<unknown>): void {
    this.#seat.refresh();
    if (this.#isOver() || this.#asked?.barrier?.sealed === true) {
      // The caller learns of this error: what becomes of `done` must not end the process as an unhandled rejection.
      Promise.resolve(done).catch(() => undefined);
      throw this.#reason();
    }
    this.#barrier().add(done);
  }

  toJSON(): TermJson {
    return { partition: this.partition, token: this.token.toString(), since: this.since.toISOString() };
  }

  /** The orderly end begins (H2): resolves once the barrier has settled. */
  revoke(): Promise<void> {
    this.#ending = 'revoked';
    this.#asked?.signal?.abort(this.#reason());
    return this.settled();
  }

  /** Resolves once everything that was begun under the barrier has settled; nothing can be added from then on. */
  settled(): Promise<void> {
    return this.#barrier().settled();
  }

  /** Belief is over; `released` after an orderly end. */
  end(loss: LossReason | 'released'): void {
    this.#ending = loss;
    this.#asked?.signal?.abort(this.#reason());
    this.#asked?.fenced?.abort(this.#reason());
  }

  #asking(): Asked {
    this.#asked ??= {};
    return this.#asked;
  }

  #barrier(): Barrier {
    const asked = this.#asking();
    asked.barrier ??= barrier();
    return asked.barrier;
  }

  #isOver(): boolean {
    return this.#ending !== 'none' && this.#ending !== 'revoked';
  }

  #reason(): LeadershipError {
    const term = `term ${this.token} of partition ${this.partition}`;
    if (this.#ending === 'revoked') return new LeadershipError('revoked', `${term} is ending: the successor waits for this work`);
    return new LeadershipError('fenced', `${term} is over (${this.#ending}): another member may act now`);
  }
}
