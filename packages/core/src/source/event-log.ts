import { type Observable, Subject } from 'rxjs';
import type { LeadershipEvent } from '../contract/event.ts';

/**
 * Emits events in the order in which they happened: an event that a subscriber causes follows the
 * event that it received.
 */
export class EventLog {
  readonly events$: Observable<LeadershipEvent>;
  readonly #subject = new Subject<LeadershipEvent>();
  readonly #untold: LeadershipEvent[] = [];
  #isTelling = false;

  constructor() {
    this.events$ = this.#subject.asObservable();
  }

  /** Whether there are subscribers; otherwise callers need not create events. */
  get observed(): boolean {
    return this.#subject.observed;
  }

  tell(event: LeadershipEvent): void {
    this.#untold.push(event);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift())
      this.#subject.next(next);
    this.#isTelling = false;
  }

  complete(): void {
    this.#subject.complete();
  }
}
