// The stream of events of one source, `events$`: it delivers them in order to every subscriber.
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
  readonly #pending: LeadershipEvent[] = [];
  #isEmitting = false;

  constructor(group: string) {
    this.#group = group;
    this.events$ = this.#subject.asObservable();
  }

  /** Whether there are subscribers; otherwise callers need not create events. */
  get observed(): boolean {
    return this.#subject.observed || eventChannel.hasSubscribers;
  }

  emit(event: LeadershipEvent): void {
    this.#pending.push(event);
    if (this.#isEmitting) return;
    this.#isEmitting = true;
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      this.#subject.next(next);
      if (eventChannel.hasSubscribers) eventChannel.publish({ group: this.#group, event: next });
    }
    this.#isEmitting = false;
  }

  complete(): void {
    this.#subject.complete();
  }
}
