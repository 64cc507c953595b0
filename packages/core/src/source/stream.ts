// The rules of every stream, in one place. A stream is hot and replays the latest value, which is
// current at the moment of subscription. It never repeats a value and never errors. It completes on
// close; later subscribers receive the last value and then the completion.
// This is not a BehaviorSubject. If a subscriber causes a newer value during an emission, a
// BehaviorSubject delivers the older value after the newer one to the remaining subscribers. This
// class delivers only the newer value to them.
import { Observable, type Subscriber } from 'rxjs';

/** A value and its observers. */
export interface Stream<T> {
  readonly value: T;
  readonly value$: Observable<T>;
  /** Whether the stream has observers. */
  readonly observed: boolean;
  /** Sets the value and notifies every observer, unless it is the current value. */
  set(value: T): void;
  /** Ends the stream. Later observers receive the last value and then the completion. */
  complete(): void;
}

/** An observer, and what it has received. */
interface Hearer<T> {
  readonly subscriber: Subscriber<T>;
  /** The number of the value that it received last. */
  version: number;
  /**
   * The value that it received last, if a newer emission overtook one before it reached this
   * observer.
   */
  behind: { readonly heard: T } | undefined;
}

/** Creates a stream. `refresh` is called before each replay and must make the value current. */
export function stream<T>(initial: T, refresh: () => void): Stream<T> {
  return new ReplayedValue(initial, refresh);
}

class ReplayedValue<T> implements Stream<T> {
  value: T;
  readonly value$: Observable<T>;
  /**
   * The observers. The array is replaced, never changed, so that an emission in progress continues
   * over the observers it began with.
   */
  #hearers: readonly Hearer<T>[] = [];
  /**
   * The number of values so far. It shows an emission in progress that a newer one has overtaken
   * it.
   */
  #version = 0;
  /** The previous value. */
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

  /**
   * Handles a value that a subscriber sets during an emission: the observers that the emission has
   * not reached still have the previous value.
   */
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
