import { type Observable, Subject } from 'rxjs';
import type { LeadershipEvent } from '../contract/event.ts';

/** Everything that happens, told in the order in which it did: what a subscriber sets off is told after what it was told. */
export interface EventLog {
  readonly events$: Observable<LeadershipEvent>;
  /** Whether anybody listens: an event need not be made otherwise. */
  readonly observed: boolean;
  tell(event: LeadershipEvent): void;
  complete(): void;
}

/** A log that nobody reads yet. */
export function eventLog(): EventLog {
  const subject = new Subject<LeadershipEvent>();
  const untold: LeadershipEvent[] = [];
  let isTelling = false;
  return {
    events$: subject.asObservable(),
    get observed() {
      return subject.observed;
    },
    tell(event) {
      untold.push(event);
      if (isTelling) return;
      isTelling = true;
      for (let next = untold.shift(); next !== undefined; next = untold.shift()) subject.next(next);
      isTelling = false;
    },
    complete: () => subject.complete(),
  };
}
