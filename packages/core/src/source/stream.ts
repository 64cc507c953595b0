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
  /** Tells every observer, unless it is the value already. */
  set(value: T): void;
  /** No value comes any more: later observers get the last one, and then the end. */
  complete(): void;
}

/** An observer, and how far it has heard. */
interface Hearer<T> {
  readonly subscriber: Subscriber<T>;
  /** Which value it heard last, by count. */
  version: number;
  /** What it heard last, where an emission was overtaken before it came to this one. */
  behind: { readonly heard: T } | undefined;
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
  /** The value before this one. */
  #before: T;
  #isTelling = false;
  #isComplete = false;

  constructor(initial: T, refresh: () => void) {
    this.value = initial;
    this.#before = initial;
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
    if (this.#isTelling) this.#overtake();
    this.#before = this.value;
    this.value = value;
    this.#version += 1;
    const version = this.#version;
    this.#isTelling = true;
    for (const hearer of this.#hearers) {
      const { behind } = hearer;
      hearer.version = version;
      hearer.behind = undefined;
      if (behind !== undefined && behind.heard === value) continue;
      hearer.subscriber.next(value);
      if (this.#version !== version) return;
    }
    this.#isTelling = false;
  }

  complete(): void {
    const hearers = this.#hearers;
    this.#isComplete = true;
    this.#hearers = [];
    for (const { subscriber } of hearers) subscriber.complete();
  }

  /** A subscriber's answer replaces the value that is being told: those it has not come to heard the one before it. */
  #overtake(): void {
    for (const hearer of this.#hearers) {
      if (hearer.version !== this.#version) hearer.behind ??= { heard: this.#before };
    }
  }

  #observe(subscriber: Subscriber<T>): () => void {
    const { value } = this;
    const hearer: Hearer<T> = { subscriber, version: this.#version, behind: undefined };
    if (!this.#isComplete) this.#hearers = [...this.#hearers, hearer];
    subscriber.next(value);
    if (this.#isComplete) subscriber.complete();
    return () => {
      this.#hearers = this.#hearers.filter((other) => other !== hearer);
    };
  }
}
