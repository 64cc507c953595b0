import { type Instant, never } from '../time/instant.ts';

/** Something that is due at an instant. */
export interface Timed {
  dueAt: Instant;
}

interface Entry<T> {
  readonly at: Instant;
  readonly of: T;
}

/** A heap of due times. An entry counts only while its object still has that time. */
export class Due<T extends Timed> {
  readonly #heap: Entry<T>[] = [];

  /** Sets when the object is due, in place of an earlier time. */
  set(of: T, at: Instant): void {
    if (of.dueAt === at) return;
    of.dueAt = at;
    if (at !== never) this.#push({ at, of });
  }

  /** Returns the next due time. */
  next(): Instant {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (first.of.dueAt === first.at) return first.at;
      this.#pop();
    }
    return never;
  }

  /** Removes and returns an object that is due. */
  take(now: Instant): T | undefined {
    if (this.next() > now) return undefined;
    const first = this.#pop();
    if (first !== undefined) first.of.dueAt = never;
    return first?.of;
  }

  #push(entry: Entry<T>): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.at <= entry.at) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): Entry<T> | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let below = heap[child];
      if (below === undefined) break;
      const other = heap[child + 1];
      if (other !== undefined && other.at < below.at) [child, below] = [child + 1, other];
      if (below.at >= last.at) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}
