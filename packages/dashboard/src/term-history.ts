// Remembers the terms of a group, which the page draws as bars: those that run, and the latest that ended.
import type { LeadershipEvent, LeadershipSource, LossReason, TermEnd } from '@leadership/core';
import type { Subscription } from 'rxjs';

/** A term that was observed. Times are those of this process's wall clock. Milliseconds. */
export interface ObservedTerm {
  readonly partition: number;
  readonly member: string;
  readonly token: string;
  readonly fromMs: number;
  /** Whether it had begun before the page began to watch, at `fromMs`. */
  readonly isEarlier?: boolean;
  untilMs?: number;
  /** How it ended; like `untilMs` absent while it runs. */
  ended?: TermEnd;
  /** More about that than `ended` says, in words: of a term of this process, why it was lost. */
  detail?: string;
}

/** The number of terms that are kept: so many that have ended, and as many that run. */
export const termsMax = 200;

/** The terms of a group since the page was created, by the events of its source. */
export class TermHistory implements Disposable {
  /** Since when this history watches, by the wall clock. Milliseconds since 1970. */
  readonly sinceMs: number = Date.now();
  /** Those that have ended, in the order of their ends. */
  readonly #ended: ObservedTerm[] = [];
  readonly #running = new Map<number, ObservedTerm>();
  readonly #subscription: Subscription;

  constructor(source: Pick<LeadershipSource, 'roster' | 'events$'>) {
    for (const [partition, { member, token }] of source.roster())
      this.#begin({ partition, member, token: `${token}`, fromMs: this.sinceMs, isEarlier: true });
    this.#subscription = source.events$.subscribe((event) => this.#note(event));
  }

  /** The terms in the order in which they began. */
  get terms(): readonly ObservedTerm[] {
    const running = [...this.#running.values()].slice(-termsMax);
    return [...this.#ended, ...running].sort((a, b) => a.fromMs - b.fromMs);
  }

  [Symbol.dispose](): void {
    this.#subscription.unsubscribe();
  }

  #note(event: LeadershipEvent): void {
    const { at, kind, member, partition, token, reason } = event;
    if (kind === 'refused')
      for (const term of [...this.#running.values()]) this.#end(term, at, 'unknown');
    if (partition === undefined) return;
    if (kind === 'leader') this.#noteLeader(partition, event);
    if (kind === 'acquired') this.#lead({ partition, member, token: `${token}`, fromMs: at });
    if (kind === 'released') this.#endOwn(partition, `${token}`, at, 'handed-over');
    if (kind === 'fenced') this.#endOwn(partition, `${token}`, at, 'lapsed', reason);
  }

  #noteLeader(partition: number, { at, leader, token, ended }: LeadershipEvent): void {
    const running = this.#running.get(partition);
    if (leader !== undefined)
      this.#lead({ partition, member: leader, token: `${token}`, fromMs: at }, ended);
    else if (running) this.#end(running, at, ended);
  }

  #lead(term: ObservedTerm, ended?: TermEnd): void {
    const { partition, token, fromMs } = term;
    const running = this.#running.get(partition);
    if (running?.token === token) return;
    if (running) this.#end(running, fromMs, ended ?? 'superseded');
    const last = this.#ended.findLast((one) => one.partition === partition);
    // The same term again was never over: its renewals had not been read for a while.
    if (last?.token === token) return this.#resume(last);
    // More is known of its end now.
    if (last && ended && last.detail === undefined) last.ended = ended;
    this.#begin(term);
  }

  #begin(term: ObservedTerm): void {
    // A map keeps the place of a key: the latest beginning is the last one.
    this.#running.delete(term.partition);
    this.#running.set(term.partition, term);
  }

  #resume(term: ObservedTerm): void {
    const { untilMs: _until, ended: _ended, detail: _detail, ...running } = term;
    this.#ended.splice(this.#ended.indexOf(term), 1);
    this.#begin(running);
  }

  #end(term: ObservedTerm, untilMs: number, ended: TermEnd = 'unknown'): void {
    this.#running.delete(term.partition);
    this.#ended.push(Object.assign(term, { untilMs, ended }));
    if (this.#ended.length > termsMax) this.#ended.shift();
  }

  /** Of its own term, this process knows more than the others. It may overlap with that of a successor. */
  #endOwn(partition: number, token: string, at: number, ended: TermEnd, reason?: LossReason): void {
    const isIt = (one: ObservedTerm): boolean => one.partition === partition && one.token === token;
    const running = this.#running.get(partition);
    if (running && isIt(running)) this.#end(running, at, ended);
    const term = this.#ended.findLast(isIt);
    if (term === undefined) return;
    Object.assign(term, { untilMs: at, ended: reason === 'superseded' ? reason : ended });
    if (reason !== undefined) term.detail = `lost here: ${reason}`;
  }
}
