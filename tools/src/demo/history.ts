// The terms of the demo's members, for the page that `npm start -- --web` shows and for the
// summary.
import type { ObservedTerm } from '@leadership/dashboard/internal';
import type { MemberEvent } from './members.ts';

/** The number of terms that are kept, as on the page of an application. */
const termsMax = 60;

/** The terms of the demo by what its members say, as the page of the dashboard shows terms. */
export class History {
  #terms: readonly ObservedTerm[] = [];

  /** The latest terms, oldest first. */
  get terms(): readonly ObservedTerm[] {
    return this.#terms;
  }

  /** The term that lasts, or whose member was killed and whose lease may last. */
  get term(): ObservedTerm | undefined {
    return this.#terms.at(-1);
  }

  /** The member that leads. */
  get leader(): string | undefined {
    return this.term?.untilMs === undefined ? this.term?.member : undefined;
  }

  note({ member, event }: MemberEvent): void {
    if (event.kind === 'leads') {
      this.lapsed();
      const term = { partition: 0, member, token: String(event.token), self: false };
      this.#terms = [...this.#terms, { ...term, fromMs: Date.now() }].slice(-termsMax);
    }
    if (event.kind === 'ended' && this.leader === member) {
      const isLost = event.how.includes('lease');
      this.#end(isLost ? 'lost' : 'handed over', isLost ? 'lost' : 'handed over');
    }
  }

  /** Notes that the member was killed. */
  killed(member: string): void {
    if (this.leader === member) this.#end('lost', 'killed');
  }

  /** Notes that the lease of the leader has ended. */
  lapsed(): void {
    this.#end('lost', 'lost: its lease has ended');
  }

  #end(ending: NonNullable<ObservedTerm['ending']>, words: string): void {
    if (this.term === undefined || this.term.untilMs !== undefined) return;
    Object.assign(this.term, { untilMs: Date.now(), ending, end: words });
  }
}
