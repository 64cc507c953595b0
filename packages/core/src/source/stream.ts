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
interface StreamObserver<T> {
  readonly subscriber: Subscriber<T>;
  /** The number of the value that it received last. */
  version: number;
  /**
   * The value that it received last, if a newer emission overtook one before it reached this
   * observer.
   */
  behind: { readonly received: T } | undefined;
}

/** Creates a stream. `refresh` is called before each replay and must make the value current. */
export function stream<T>(initial: T, refresh: () => void): Stream<T> {
  return new ReplayedValue(initial, refresh);
}

class ReplayedValue<T> implements Stream<T> {
  value: T;
  readonly #refresh: () => void;
  /** Created when it is first asked for: most partitions are never observed. */
  #value$: Observable<T> | undefined;
  /**
   * The observers. The array is replaced, never changed, so that an emission in progress continues
   * over the observers it began with.
   */
  #observers: readonly StreamObserver<T>[] = [];
  /**
   * The number of values so far. It shows an emission in progress that a newer one has overtaken
   * it.
   */
  #version = 0;
  /** The previous value. */
  #before: T;
  #isEmitting = false;
  #isComplete = false;

  constructor(initial: T, refresh: () => void) {
    this.value = initial;
    this.#before = initial;
    this.#refresh = refresh;
  }

  get value$(): Observable<T> {
    this.#value$ ??= new Observable((subscriber) => {
      this.#refresh();
      return this.#observe(subscriber);
    });
    return this.#value$;
  }

  get observed(): boolean {
    return this.#observers.length > 0;
  }

  set(value: T): void {
    if (value === this.value) return;
    if (this.#isEmitting) this.#overtake();
    this.#before = this.value;
    this.value = value;
    this.#version += 1;
    const version = this.#version;
    this.#isEmitting = true;
    const observers = this.#observers;
    // An iterator would be too large for the compiler to inline this method into a grant.
    for (let at = 0; at < observers.length; at += 1) {
      const observer = observers[at] as StreamObserver<T>;
      const { behind } = observer;
      observer.version = version;
      observer.behind = undefined;
      if (behind !== undefined && behind.received === value) continue;
      observer.subscriber.next(value);
      if (this.#version !== version) return;
    }
    this.#isEmitting = false;
  }

  complete(): void {
    const observers = this.#observers;
    this.#isComplete = true;
    this.#observers = [];
    for (const { subscriber } of observers) subscriber.complete();
  }

  /**
   * Handles a value that a subscriber sets during an emission: the observers that the emission has
   * not reached still have the previous value.
   */
  #overtake(): void {
    for (const observer of this.#observers) {
      if (observer.version !== this.#version) observer.behind ??= { received: this.#before };
    }
  }

  #observe(subscriber: Subscriber<T>): () => void {
    const { value } = this;
    const observer: StreamObserver<T> = { subscriber, version: this.#version, behind: undefined };
    if (!this.#isComplete) this.#observers = [...this.#observers, observer];
    subscriber.next(value);
    if (this.#isComplete) subscriber.complete();
    return () => {
      this.#observers = this.#observers.filter((other) => other !== observer);
    };
  }
}
