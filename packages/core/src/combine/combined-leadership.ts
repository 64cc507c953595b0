// The leadership of one partition over several sources. Its terms begin and end with theirs, and it
// answers every question by asking them.
//
//   vacant ──enough lead──▶ leading ──some are ending, too few are left──▶ revoking ──drained──▶ vacant
//                              └──── too few still lead, drain timed out ────▶ fenced (until the next report)
//
// The orderly end of a source's own term waits for the work here (H2). The term of the whole ends
// first; then the sources release their leases in order.
//
// The terms of the sources do not end at the same time after `resign`, because under induction a
// resigned member leads until another does. A source may therefore lead again before another one
// has ended. It does not continue the resigned term, which would never end then: the term is
// revoked at once, and the next one begins after the drain.
import type { Leadership, LossReason } from '../contract/leadership.ts';
import type { LeadershipError } from '../contract/leadership-error.ts';
import type { Term } from '../contract/term.ts';
import { aborted } from '../process/on-abort.ts';
import { drainTimer } from '../source/drain-timer.ts';
import { LiveTerm, type TermOwner } from '../source/live-term.ts';
import type { PartitionListener } from '../source/partition-leadership.ts';
import { type Stream, stream } from '../source/stream.ts';
import { type Moment, momentOf } from '../time/clock.ts';
import type { Combination } from './combination.ts';
import { LaterParts } from './later-parts.ts';
import type { Part } from './part.ts';

const waiting: Leadership = { state: 'waiting' };
const observing: Leadership = { state: 'observing' };
const believes = (part: Part): boolean => part.believes;
const isSettled = (part: Part): boolean => part.isSettled;
const campaigns = ({ command }: Part): boolean => command.campaigns;

/** The callbacks of the partition, in addition to those about its terms. */
export interface CombinedListener extends Omit<PartitionListener, 'begins' | 'ends'> {
  /** A source was closed, so the whole may have to close as well. */
  closed(): void;
}

export class CombinedLeadership implements TermOwner {
  readonly partition: number;
  readonly states: Stream<Leadership>;
  readonly parts: readonly Part[];
  readonly #first: Part;
  readonly #combination: Combination;
  readonly #listener: CombinedListener;
  readonly #laterParts: LaterParts | undefined;
  /** Terms with unsettled work, including the current one. */
  readonly #undrained = new Set<LiveTerm>();
  #term: LiveTerm | undefined;
  #drain: Disposable | undefined;
  /** The terms of the parts at the moment when the current term was resigned, if it was. */
  #resigned: ReadonlySet<Term> | undefined;
  #endedToken = -1n;
  /**
   * The number of `#advance` calls since the outermost one began. Nested calls only increment it, and
   * the outermost call then runs again.
   */
  #rounds = 0;

  constructor(
    partition: number,
    first: Part,
    later: readonly Part[],
    combination: Combination,
    listener: CombinedListener,
  ) {
    this.partition = partition;
    this.parts = [first, ...later];
    this.#first = first;
    this.#combination = combination;
    this.#listener = listener;
    this.states = stream(this.campaigns ? waiting : observing, () => this.refresh());
    if (combination.follows && this.campaigns)
      this.#laterParts = new LaterParts(first, later, combination.fits);
  }

  /** Subscribes to the parts. */
  begin(): void {
    for (const part of this.parts) {
      part.role.leadership$.subscribe({
        next: (leadership) => this.#receive(part, leadership),
        complete: () => this.#close(part),
      });
    }
    this.#advance();
  }

  get campaigns(): boolean {
    return this.#combination.holds(this.parts, campaigns);
  }

  moment(): Moment {
    return momentOf(this.#first.command.clock);
  }

  /** Returns the state at the moment of the call, by asking every source (H5). */
  isLeading(): boolean {
    return this.#term !== undefined && this.#combination.holds(this.parts, believes);
  }

  remainingMs(): number {
    if (!this.isLeading()) return 0;
    const [ms = 0, ...others] = this.parts.map(({ term }) => term?.remainingMs() ?? 0);
    return others.reduce(this.#combination.remainingMs, ms);
  }

  remainingMsOf(term: LiveTerm): number {
    return this.#term === term ? this.remainingMs() : 0;
  }

  current(): LiveTerm | undefined {
    return this.isLeading() ? this.#term : undefined;
  }

  /** The token of the term that has begun and not ended. */
  get token(): bigint | undefined {
    return this.#term?.token;
  }

  runs(term: Term): boolean {
    return this.#term === term;
  }

  /**
   * Ends an expired term at once, even during a notification, because a subscriber may have blocked
   * the event loop.
   */
  refresh(): void {
    if (this.#term !== undefined && !this.isLeading()) this.#end(this.#loss());
  }

  /**
   * Resigns the partition in every source that does not follow the first, for at least `abstainMs`
   * milliseconds. Resolves once the terms that the sources and the whole have now are over.
   */
  async resign(abstainMs: number): Promise<void> {
    this.refresh();
    const term = this.#term;
    if (term !== undefined)
      this.#resigned ??= new Set(this.parts.flatMap((part) => part.term ?? []));
    const resigning = this.#combination.follows ? [this.#first] : this.parts;
    const ends = resigning.map(({ command }) => command.resign(this.partition, abstainMs));
    // If a source was fenced, its call resolves while the work still drains under another source.
    if (term !== undefined) ends.push(aborted(term.fenced));
    await Promise.all(ends);
  }

  /** Updates the state after a source reported a leader. */
  learn(): void {
    this.#settle();
    this.#advance();
  }

  /** Ends the leadership stream, because too few sources accept this member for it ever to lead. */
  refuse(error: LeadershipError): void {
    this.#end('closed');
    this.states.set({ state: 'refused', error });
    this.states.complete();
  }

  /**
   * Lets all parts that are ending release their leases, if no work runs. They do not wait for each
   * other's releases, which may take longer than a close that waits for no work allows.
   */
  async releaseIdle(): Promise<void> {
    const terms = [...this.#undrained];
    if (terms.some(({ isWorking }) => isWorking)) return;
    if (this.#term === undefined || this.#drain !== undefined)
      await Promise.all(terms.map((term) => term.settled()));
    if (this.#term !== undefined || this.#undrained.size > 0) return;
    for (const part of this.parts) if (part.lastState === 'revoking') part.release();
    // The barrier of a part notes it in the next microtask.
    await Promise.resolve();
  }

  /** Ends the leadership stream after every source was closed. */
  complete(): void {
    this.#end('closed');
    this.#laterParts?.[Symbol.dispose]();
    this.states.complete();
  }

  #receive(part: Part, leadership: Leadership): void {
    const older = new Set(this.#undrained);
    if (this.#term !== undefined) older.delete(this.#term);
    part.receive(leadership, older);
    this.#advance();
    this.#settle();
  }

  #close(part: Part): void {
    part.close();
    this.#advance();
    this.#listener.closed();
  }

  /**
   * Moves from `fenced` to `waiting` after the next report, unless a source has not reported
   * anything since its own fence.
   */
  #settle(): void {
    const isFenced = this.states.value.state === 'fenced';
    if (isFenced && this.#term === undefined && !this.parts.some((part) => part.isFenced))
      this.states.set(waiting);
  }

  /**
   * Advances the state as far as possible. Changes caused by subscribers meanwhile are processed in
   * another round.
   */
  #advance(): void {
    this.#rounds += 1;
    if (this.#rounds > 1) return;
    for (let seen = 0; seen < this.#rounds; ) {
      seen = this.#rounds;
      this.#advanceOnce();
    }
    this.#rounds = 0;
  }

  #advanceOnce(): void {
    if (this.#term !== undefined && !this.isLeading()) this.#end(this.#loss());
    if (this.#term !== undefined && this.#drain === undefined && !this.#continues())
      this.#revoke(this.#term);
    if (this.#term === undefined && this.#isEnough()) this.#beginTerm();
    this.#laterParts?.place(this.#whole());
    this.parts.forEach((part, index) => this.#release(part, index));
  }

  #whole(): 'none' | 'running' | 'ending' {
    if (this.#term === undefined) return 'none';
    return this.#drain === undefined ? 'running' : 'ending';
  }

  #isEnough(): boolean {
    const fits = (part: Part): boolean => this.#laterParts?.fits(part) ?? true;
    return (
      this.campaigns && this.#combination.holds(this.parts, (part) => part.isSettled && fits(part))
    );
  }

  /** Returns whether the current term goes on. A resigned one ends once a source leads again. */
  #continues(): boolean {
    const resigned = this.#resigned;
    const leadsAgain = ({ isSettled, term }: Part): boolean =>
      isSettled && term !== undefined && resigned?.has(term) === false;
    return this.#isEnough() && !this.parts.some(leadsAgain);
  }

  #beginTerm(): void {
    const term = new LiveTerm(
      this,
      this.#combination.token(this.parts, this.#endedToken),
      this.#first.command.clock.now(),
    );
    this.#term = term;
    this.#undrained.add(term);
    this.states.set({ state: 'leading', term });
    term.reportTo(this.#listener);
  }

  #revoke(term: LiveTerm): void {
    const { clock } = this.#first.command;
    const drainMs = Math.min(...this.parts.map(({ command }) => command.drainTimeoutMs));
    this.#drain = drainTimer(clock, drainMs, {
      slow: () => this.#listener.drainsSlowly(term, drainMs),
      timedOut: () => this.#end('drain-timed-out'),
    });
    const settled = term.revoke();
    // An abort listener or a subscriber may have ended the term already.
    if (this.#term !== term) return;
    this.states.set({ state: 'revoking', term });
    if (this.#term !== term) return;
    term.reportTo(this.#listener);
    this.#listener.revoked(this.partition, term);
    void settled.then(
      () => this.#term === term && this.#end(this.isLeading() ? 'released' : this.#loss()),
    );
  }

  #end(loss: LossReason | 'released'): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    this.#endedToken = term.token;
    this.#drain?.[Symbol.dispose]();
    this.#drain = undefined;
    this.#resigned = undefined;
    if (this.#combination.usesUp) for (const part of this.parts) part.useUp();
    term.end(loss);
    this.states.set(loss === 'released' ? waiting : { state: 'fenced', term, reason: loss });
    term.reportTo(this.#listener);
    this.#listener.ended(this.partition, term, loss);
    void term.settled().then(() => this.#drained(term));
    this.#advance();
  }

  #drained(term: LiveTerm): void {
    this.#undrained.delete(term);
    this.#advance();
  }

  #loss(): LossReason {
    return this.parts.find(({ loss }) => loss !== undefined)?.loss ?? 'expired';
  }

  #release(part: Part, index: number): void {
    if (part.lastState !== 'revoking') return;
    const others = this.parts.filter((other) => other !== part);
    const drained = part.isDrained(this.#undrained);
    // A source that leads again does not take over the work of a resigned term (H2).
    const isHandingOver = this.#resigned !== undefined && this.#drain !== undefined;
    const carried =
      this.#term !== undefined && !isHandingOver && this.#combination.holds(others, isSettled);
    const isNext = !this.parts
      .slice(0, index)
      .some((before) => before.lastState === 'revoking' || before.isUsedUp);
    if (this.#combination.mayRelease({ drained, carried, isNext })) part.release();
  }
}
