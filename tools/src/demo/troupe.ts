import { filter, firstValueFrom, type Observable, Subject, throwError, timeout } from 'rxjs';
import type { Actor } from './actor.ts';
import type { Venue } from './backends.ts';
import type { Note } from './note.ts';

/** A note, and whose it is. */
export interface MemberNote {
  readonly member: string;
  readonly note: Note;
}

/** The members on stage. Disposing removes those that are left. */
export class Troupe implements AsyncDisposable {
  readonly #venue: Venue;
  readonly #thresholdMs: number;
  readonly #signal: AbortSignal;
  readonly #actors = new Map<string, Actor>();
  readonly #notes = new Subject<MemberNote>();

  constructor(venue: Venue, thresholdMs: number, signal: AbortSignal) {
    this.#venue = venue;
    this.#thresholdMs = thresholdMs;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#notes.error(signal.reason), { once: true });
  }

  /** What the members tell. Errors when one ends that should not have, or the demo is interrupted. */
  get notes$(): Observable<MemberNote> {
    return this.#notes.asObservable();
  }

  start(member: string): Actor {
    this.#signal.throwIfAborted();
    const actor = this.#venue.start({ url: this.#venue.url, member, thresholdMs: this.#thresholdMs }, (note) =>
      this.#notes.next({ member, note }),
    );
    this.#actors.set(member, actor);
    void actor.gone.then((why) => {
      if (this.#actors.get(member) === actor) this.#actors.delete(member);
      if (why !== undefined) this.#notes.error(new Error(why));
    });
    return actor;
  }

  actor(member: string): Actor {
    const actor = this.#actors.get(member);
    if (actor === undefined) throw new Error(`${member} is not on stage`);
    return actor;
  }

  /** The next note that matches; rejects where none does in time. */
  next(matches: (from: MemberNote) => boolean, withinMs: number, what: string): Promise<MemberNote> {
    const late = throwError(() => new Error(`${what} within ${Math.round(withinMs)} ms`));
    return firstValueFrom(this.#notes.pipe(filter(matches), timeout({ first: withinMs, with: () => late })));
  }

  /** Ends every member in order, and waits until they are gone. */
  async close(): Promise<void> {
    const actors = [...this.#actors.values()];
    for (const actor of actors) actor.tell('close');
    await Promise.all(actors.map(({ gone }) => gone));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const actors = [...this.#actors.values()];
    for (const actor of actors) actor.crash();
    await Promise.all(actors.map(({ gone }) => gone));
  }
}
