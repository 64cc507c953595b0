import { type Observable, Subject } from 'rxjs';
import type { LeadershipEvent } from '../contract/event.ts';
import { eventChannel } from '../process/event-channel.ts';

/**
 * Emits events in the order in which they happened: an event that a subscriber causes follows the
 * event that it received.
 */
export class EventLog {
  readonly events$: Observable<LeadershipEvent>;
  readonly #group: string;
  readonly #subject = new Subject<LeadershipEvent>();
  readonly #untold: LeadershipEvent[] = [];
  #isTelling = false;

  constructor(group: string) {
    this.#group = group;
    this.events$ = this.#subject.asObservable();
  }

  /** Whether there are subscribers; otherwise callers need not create events. */
  get observed(): boolean {
    return this.#subject.observed || eventChannel.hasSubscribers;
  }

  tell(event: LeadershipEvent): void {
    this.#untold.push(event);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
      this.#subject.next(next);
      if (eventChannel.hasSubscribers) eventChannel.publish({ group: this.#group, event: next });
    }
    this.#isTelling = false;
  }

  complete(): void {
    this.#subject.complete();
  }
}
