import { type Deferred, deferred } from '../async/deferred.ts';
import type { Leadership, LossReason } from '../contract/leadership.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { Role } from '../contract/role.ts';
import type { LeadershipSource } from '../contract/source.ts';
import type { Term } from '../contract/term.ts';
import type { Command } from '../source/command.ts';
import { holdOpen } from '../source/hold-open.ts';
import type { LiveTerm } from '../source/live-term.ts';

/** One combined source, limited to one partition. */
export class Part {
  readonly source: LeadershipSource;
  readonly command: Command;
  readonly role: Role;
  /** The last state that the source reported. Only the term knows the current state. */
  lastState: 'out' | 'leading' | 'revoking' = 'out';
  /** The term that the source reported, until it is over. */
  term: Term | undefined;
  /**
   * Why the last term ended, if it did not end in order and the source has reported nothing since.
   */
  loss: LossReason | undefined;
  isClosed = false;
  /** Why the source refused this member for good. */
  refusal: LeadershipError | undefined;
  #isUsedUp = false;
  /** Whether this part has requested the end of the term from the source. */
  #isGoing = false;
  /** The last argument of `standBy`; `undefined`: the member is not a candidate. */
  #standsAbove: bigint | undefined | 'unset' = 'unset';
  #hold: Deferred<void> | undefined;
  #excused: ReadonlySet<LiveTerm> = new Set();

  constructor(source: LeadershipSource, command: Command, partition: number) {
    this.source = source;
    this.command = command;
    this.role = source.role(partition);
  }

  /** Whether the reported term is current at this moment (H5). */
  get believes(): boolean {
    return this.term?.isCurrent() === true;
  }

  /**
   * Whether the last term ended at once and the source has reported nothing since, or has not
   * reported that end yet.
   */
  get isFenced(): boolean {
    return this.loss !== undefined || (this.term !== undefined && !this.believes);
  }

  /** Whether a term of the whole may begin or continue with this part. */
  get isSettled(): boolean {
    return this.lastState === 'leading' && !this.#isUsedUp && this.believes;
  }

  /** Whether the part leads in a term that can no longer serve a new term of the whole. */
  get isUsedUp(): boolean {
    return this.lastState === 'leading' && this.#isUsedUp;
  }

  /**
   * Processes a state that the source reported. The orderly end of a new term waits for `release`,
   * but not for the older terms in `undrained`.
   */
  receive(leadership: Leadership, undrained: ReadonlySet<LiveTerm>): void {
    if (leadership.state === 'leading') return this.#begin(leadership.term, undrained);
    if (leadership.state === 'revoking') {
      this.lastState = 'revoking';
      return;
    }
    this.#end();
    if (leadership.state === 'refused') this.refusal = leadership.error;
    this.loss = leadership.state === 'fenced' ? leadership.reason : undefined;
  }

  close(): void {
    this.isClosed = true;
    this.#end();
  }

  useUp(): void {
    this.#isUsedUp = true;
  }

  /** Returns whether all work has settled for which the term has to wait. */
  isDrained(undrained: ReadonlySet<LiveTerm>): boolean {
    return [...undrained].every((term) => this.#excused.has(term));
  }

  /** Allows the term to end, because the whole no longer needs it. */
  release(): void {
    this.#hold?.resolve();
    this.#hold = undefined;
  }

  /**
   * Asks the source, once, to end its term and to abstain for a while. The source reports its own
   * failures.
   */
  resign(abstainMs: number): void {
    if (this.#isGoing || this.lastState !== 'leading') return;
    this.#isGoing = true;
    this.command.resign(this.role.partition, abstainMs).catch(() => undefined);
  }

  /**
   * Sets whether this member is a candidate in this source, instead of the source's own placement.
   * Resigns a term that it should not have.
   */
  standBy(above: bigint | undefined): void {
    if (this.#standsAbove !== above) {
      this.#standsAbove = above;
      this.command.standBy(this.role.partition, above);
    }
    if (above === undefined) this.resign(0);
  }

  #begin(term: Term, undrained: ReadonlySet<LiveTerm>): void {
    const hold = deferred<void>();
    this.#end();
    this.lastState = holdOpen(term, hold.promise) ? 'leading' : 'revoking';
    this.term = term;
    this.loss = undefined;
    this.#hold = hold;
    this.#excused = new Set(undrained);
  }

  #end(): void {
    this.lastState = 'out';
    this.term = undefined;
    this.#isUsedUp = false;
    this.#isGoing = false;
    this.release();
  }
}
