import type { Leadership, LossReason } from '../../contract/leadership.ts';
import type { LeadershipError } from '../../contract/leadership-error.ts';
import type { Role } from '../../contract/role.ts';
import type { LeadershipSource } from '../../contract/source.ts';
import type { Term } from '../../contract/term.ts';
import type { Command } from '../command.ts';
import { type Deferred, deferred } from '../deferred.ts';
import { holdOpen } from '../hold-open.ts';
import type { LiveTerm } from '../live-term.ts';

/** One of the combined sources, as far as it concerns one partition. */
export class Part {
  readonly source: LeadershipSource;
  readonly command: Command;
  readonly role: Role;
  /** What it told last: that it leads, that this is ending, or neither. What is true now only its term knows. */
  standing: 'out' | 'leading' | 'ending' = 'out';
  /** The term it told of, until that is over. */
  term: Term | undefined;
  /** Why its last term was over, where that was not in order and it has told nothing since. */
  loss: LossReason | undefined;
  isClosed = false;
  /** Why the source refused this member for good. */
  refusal: LeadershipError | undefined;
  #isUsedUp = false;
  /** Whether its term was asked to end. */
  #isGoing = false;
  /** With which tokens it was told to stand here; `undefined`: not at all. */
  #standsAbove: bigint | undefined | 'untold' = 'untold';
  #hold: Deferred<void> | undefined;
  #excused: ReadonlySet<LiveTerm> = new Set();

  constructor(source: LeadershipSource, command: Command, partition: number) {
    this.source = source;
    this.command = command;
    this.role = source.role(partition);
  }

  /** Whether it leads in the term it told of, at this moment (H5). */
  get believes(): boolean {
    return this.term?.isCurrent() === true;
  }

  /** Whether its last term was over at once, and it has told nothing since; or has not even told that yet. */
  get isFenced(): boolean {
    return this.loss !== undefined || (this.term !== undefined && !this.believes);
  }

  /** Whether a term of the whole may begin or go on with it. */
  get isSettled(): boolean {
    return this.standing === 'leading' && !this.#isUsedUp && this.believes;
  }

  /** Whether it leads in a term with which none of the whole can begin any more. */
  get isUsedUp(): boolean {
    return this.standing === 'leading' && this.#isUsedUp;
  }

  /** What it tells. The orderly end of a term that begins waits until it is let go; for `undrained`, which are older, it need not. */
  hear(leadership: Leadership, undrained: ReadonlySet<LiveTerm>): void {
    if (leadership.state === 'leading') return this.#begin(leadership.term, undrained);
    if (leadership.state === 'revoking') {
      this.standing = 'ending';
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

  /** Whether everything has settled that its term has to wait for. */
  isDrained(undrained: ReadonlySet<LiveTerm>): boolean {
    return [...undrained].every((term) => this.#excused.has(term));
  }

  /** Nothing of the whole needs its term any more: it may end. */
  letGo(): void {
    this.#hold?.resolve();
    this.#hold = undefined;
  }

  /** Asks it, once, to end its term, and to leave the partition to others for a while. What goes wrong there is its own trouble. */
  giveUp(abstainMs: number): void {
    if (this.#isGoing || this.standing !== 'leading') return;
    this.#isGoing = true;
    this.command.resign(this.role.partition, abstainMs).catch(() => undefined);
  }

  /** Whether it is to lead here is not for its own placement to say. What it leads all the same, it gives up. */
  standBy(above: bigint | undefined): void {
    if (this.#standsAbove !== above) {
      this.#standsAbove = above;
      this.command.standBy(this.role.partition, above);
    }
    if (above === undefined) this.giveUp(0);
  }

  #begin(term: Term, undrained: ReadonlySet<LiveTerm>): void {
    const hold = deferred<void>();
    this.#end();
    this.standing = holdOpen(term, hold.promise) ? 'leading' : 'ending';
    this.term = term;
    this.loss = undefined;
    this.#hold = hold;
    this.#excused = new Set(undrained);
  }

  #end(): void {
    this.standing = 'out';
    this.term = undefined;
    this.#isUsedUp = false;
    this.#isGoing = false;
    this.letGo();
  }
}
