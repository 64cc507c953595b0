// The stream law, in one place: hot; replays the latest value, true at the moment of subscription; never repeats a value;
// completes on close, and then replays the last value before completing; never errors.
//
// Not a BehaviorSubject: that one tells a value that a subscriber's answer has already replaced to those who come after it,
// behind the new one; here they hear the new one only. It is also the price of an emission.
import { Observable, type Subscriber } from 'rxjs';

/** A value and its observers. */
export interface Stream<T> {
  readonly value: T;
  readonly value$: Observable<T>;
  /** Whether anybody would notice a change. */
  readonly observed: boolean;
  set(value: T): void;
  complete(): void;
}

/** An observer, and the value it heard last. */
interface Hearer<T> {
  readonly subscriber: Subscriber<T>;
  heard: T;
}

/** `refresh` makes the value true before it is replayed. */
export function stream<T>(initial: T, refresh: () => void): Stream<T> {
  return new LatestValue(initial, refresh);
}

class LatestValue<T> implements Stream<T> {
  value: T;
  readonly value$: Observable<T>;
  /** Replaced, never changed: an emission under way goes on over the hearers it began with. */
  #hearers: readonly Hearer<T>[] = [];
  /** Counts values: tells an emission under way that a newer one has overtaken it. */
  #version = 0;
  #isComplete = false;

  constructor(initial: T, refresh: () => void) {
    this.value = initial;
    this.value$ = new Observable((subscriber) => {
      refresh();
      return this.#observe(subscriber);
    });
  }

  get observed(): boolean {
    return this.#hearers.length > 0;
  }

  set(value: T): void {
    if (value === this.value) return;
    this.value = value;
    this.#version += 1;
    const version = this.#version;
    for (const hearer of this.#hearers) {
      if (hearer.heard === value) continue;
      hearer.heard = value;
      hearer.subscriber.next(value);
      if (this.#version !== version) return;
    }
  }

  complete(): void {
    const hearers = this.#hearers;
    this.#isComplete = true;
    this.#hearers = [];
    for (const { subscriber } of hearers) subscriber.complete();
  }

  #observe(subscriber: Subscriber<T>): () => void {
    const { value } = this;
    const hearer = { subscriber, heard: value };
    if (!this.#isComplete) this.#hearers = [...this.#hearers, hearer];
    subscriber.next(value);
    if (this.#isComplete) subscriber.complete();
    return () => {
      this.#hearers = this.#hearers.filter((other) => other !== hearer);
    };
  }
}
