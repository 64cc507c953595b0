// The terms of the demo's members, for the page that `npm start -- --web` shows and for the
// summary.
import type { TermEnd } from '@leadership/core';
import { type ObservedTerm, termsMax } from '@leadership/dashboard/internal';
import type { MemberEvent } from './members.ts';

/** The terms of the demo by what its members say, as the page of the dashboard shows terms. */
export class History {
  /** Since when the demo runs. Milliseconds since 1970. */
  readonly sinceMs: number = Date.now();
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
      const term = { partition: 0, member, token: String(event.token) };
      this.#terms = [...this.#terms, { ...term, fromMs: Date.now() }].slice(-termsMax);
    }
    if (event.kind === 'ended' && this.leader === member) {
      this.#end(event.how.includes('lease') ? 'lapsed' : 'handed-over');
    }
  }

  /** Notes that the member was killed. */
  killed(member: string): void {
    if (this.leader === member) this.#end('lapsed', 'killed');
  }

  /** Notes that the lease of the leader has ended. */
  lapsed(): void {
    this.#end('lapsed');
  }

  #end(ended: TermEnd, detail?: string): void {
    if (this.term === undefined || this.term.untilMs !== undefined) return;
    Object.assign(this.term, { untilMs: Date.now(), ended, ...(detail && { detail }) });
  }
}
