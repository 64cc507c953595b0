/**
 * A value that callers share: made on demand, once for all who ask meanwhile, and kept until it is
 * dropped. A value that cannot be made is asked for again. `make` gets no caller's signal: a caller
 * that gives up must not end the work that the others wait for, and that it will ask for again.
 */
export class Shared<T> {
  readonly #make: () => Promise<T>;
  #value: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** The value, or the work in flight; `undefined` if nobody has asked for it. */
  get current(): Promise<T> | undefined {
    return this.#value;
  }

  /** Returns the value, and makes it if there is none. */
  get(): Promise<T> {
    if (this.#value !== undefined) return this.#value;
    const made = this.#make();
    this.#value = made;
    made.catch(() => this.drop(made));
    return made;
  }

  /** Forgets this value. Returns whether it was the current one: `false` if it was dropped before. */
  drop(value: Promise<T>): boolean {
    if (this.#value !== value) return false;
    this.#value = undefined;
    return true;
  }
}
