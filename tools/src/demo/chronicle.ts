import { Evidence } from './evidence.ts';
import type { News } from './news.ts';
import type { Note } from './note.ts';
import type { MemberNote } from './troupe.ts';

/** Keeps what the members tell: passes it on as news, collects the evidence, and remembers who leads and who stalled. */
export class Chronicle {
  readonly evidence: Evidence = new Evidence();
  readonly #show: (news: News) => void;
  #leader: string | undefined;
  readonly #stallsMs = new Map<string, number>();

  constructor(show: (news: News) => void) {
    this.#show = show;
  }

  /** Who began to lead last. */
  get leader(): string {
    if (this.#leader === undefined) throw new Error('nobody has led yet');
    return this.#leader;
  }

  /**
   * For how long the member that stood still most did so since the last call: who takes over may have to wait for the claim of one that
   * does not. Milliseconds.
   */
  takeStallMs(): number {
    const stallMs = Math.max(0, ...this.#stallsMs.values());
    this.#stallsMs.clear();
    return stallMs;
  }

  hear({ member, note }: MemberNote): void {
    if (note.kind === 'look') this.#look(member, note);
    if (note.kind !== 'event') return;
    if (note.event.kind === 'acquired') this.#leader = member;
    this.#show(note);
  }

  #look(member: string, look: Note & { kind: 'look' }): void {
    this.evidence.add(member, look);
    this.#stallsMs.set(member, (this.#stallsMs.get(member) ?? 0) + look.stallMs);
    this.#show({ kind: 'look', atNs: look.atNs, member, look });
  }
}
