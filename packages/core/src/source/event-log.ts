import { type Observable, Subject } from 'rxjs';
import type { LeadershipEvent } from '../contract/event.ts';

/** Everything that happens, told in the order in which it did: what a subscriber sets off is told after what it was told. */
export class EventLog {
  readonly events$: Observable<LeadershipEvent>;
  readonly #subject = new Subject<LeadershipEvent>();
  readonly #untold: LeadershipEvent[] = [];
  #isTelling = false;

  constructor() {
    this.events$ = this.#subject.asObservable();
  }

  /** Whether anybody listens: an event need not be made otherwise. */
  get observed(): boolean {
    return this.#subject.observed;
  }

  tell(event: LeadershipEvent): void {
    this.#untold.push(event);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) this.#subject.next(next);
    this.#isTelling = false;
  }

  complete(): void {
    this.#subject.complete();
  }
}
