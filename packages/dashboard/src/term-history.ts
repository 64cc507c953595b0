// Remembers the latest terms of each partition, which the page draws as bars.
import type { LeadershipEvent, LeadershipSource, Roster } from '@leadership/core';
import { Subscription } from 'rxjs';

/** A term that was observed. Times are those of this process's wall clock. Milliseconds. */
export interface ObservedTerm {
  readonly partition: number;
  readonly member: string;
  readonly token: string;
  /** Whether this process was the leader. */
  readonly self: boolean;
  readonly fromMs: number;
  untilMs?: number;
  /** How a term of this process ended, in words; how another member's term ended is not known. */
  end?: string;
  /** The same for programs. */
  ending?: 'handed over' | 'lost';
}

/** The number of terms that are kept. More would not fit on the page. */
const termsMax = 60;

/** The terms of a group since the page was created. */
export class TermHistory implements Disposable {
  #terms: readonly ObservedTerm[] = [];
  readonly #open = new Map<number, ObservedTerm>();
  readonly #subscription = new Subscription();

  constructor(source: LeadershipSource) {
    this.#subscription.add(source.roster$.subscribe((roster) => this.#follow(roster)));
    this.#subscription.add(source.events$.subscribe((event) => this.#note(event)));
  }

  get terms(): readonly ObservedTerm[] {
    return this.#terms;
  }

  [Symbol.dispose](): void {
    this.#subscription.unsubscribe();
  }

  #follow(roster: Roster): void {
    const now = Date.now();
    for (const [partition, term] of this.#open) {
      const leader = roster.get(partition);
      if (leader !== undefined && String(leader.token) === term.token) continue;
      term.untilMs = now;
      this.#open.delete(partition);
    }
    for (const [partition, { member, token, self }] of roster)
      if (!this.#open.has(partition))
        this.#add({ partition, member, token: String(token), self, fromMs: now });
  }

  #add(term: ObservedTerm): void {
    this.#open.set(term.partition, term);
    this.#terms = [...this.#terms, term].slice(-termsMax);
  }

  #note({ kind, partition, token, reason }: LeadershipEvent): void {
    if (kind !== 'released' && kind !== 'fenced') return;
    const isIt = (term: ObservedTerm): boolean =>
      term.self && term.partition === partition && term.token === String(token);
    const term = this.#terms.find(isIt);
    if (term === undefined) return;
    term.ending = kind === 'released' ? 'handed over' : 'lost';
    term.end = kind === 'released' ? 'handed over' : `lost: ${reason}`;
  }
}
