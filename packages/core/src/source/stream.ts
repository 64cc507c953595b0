// The stream law, in one place: hot; replays the latest value, true at the moment of subscription; never repeats a value;
// completes on close, and then replays the last value before completing; never errors.
import { BehaviorSubject, Observable } from 'rxjs';

/** A value and its observers. */
export interface Stream<T> {
  readonly value: T;
  readonly value$: Observable<T>;
  /** Whether anybody would notice a change. */
  readonly observed: boolean;
  set(value: T): void;
  complete(): void;
}

/** `refresh` makes the value true before it is replayed. */
export function stream<T>(initial: T, refresh: () => void): Stream<T> {
  const subject = new BehaviorSubject(initial);
  let isComplete = false;
  const value$ = new Observable<T>((subscriber) => {
    refresh();
    if (!isComplete) return subject.subscribe(subscriber);
    subscriber.next(subject.value);
    subscriber.complete();
    return undefined;
  });
  return {
    value$,
    get value() {
      return subject.value;
    },
    get observed() {
      return subject.observed;
    },
    set(value) {
      if (value !== subject.value) subject.next(value);
    },
    complete() {
      isComplete = true;
      subject.complete();
    },
  };
}
