import type { Fetched, LogRecord } from './log-fold.ts';

/** A log in memory, with the faults of a real one: the log of tests and of the simulation. */
export class MemoryLog {
  #records: LogRecord[] = [];
  #start = 0;
  #epoch = 0;

  get start(): number {
    return this.#start;
  }

  /** The offset after the last record. */
  get end(): number {
    return this.#start + this.#records.length;
  }

  get records(): readonly LogRecord[] {
    return this.#records;
  }

  append(text: string | undefined): void {
    this.#records.push({ offset: this.end, epoch: this.#epoch, text });
  }

  /** Returns at most `max` records. An offset that is not in the log gets none. */
  fetch(from: number | undefined, max: number = Number.POSITIVE_INFINITY): Fetched {
    const { start, end } = this;
    const first = (from ?? start) - start;
    const records = first < 0 ? [] : this.#records.slice(first, first + Math.max(2, max));
    return { from, start, end, records };
  }

  /** Another leader takes over, without the last records. */
  changeLeader(lost: number = 0): void {
    this.#epoch += 1;
    this.#records = this.#records.slice(0, Math.max(0, this.#records.length - lost));
  }

  /** Removes the records below an offset. */
  cut(below: number): void {
    if (below <= this.#start) return;
    const to = Math.min(below, this.end);
    this.#records = this.#records.slice(to - this.#start);
    this.#start = to;
  }

  /** Another log gets the name of this one: a topic that was deleted and created again. */
  recreate(): void {
    this.#records = [];
    this.#start = 0;
    this.#epoch = 0;
  }

  /** Returns another copy, which later changes of this one leave alone. */
  copy(): MemoryLog {
    const copy = new MemoryLog();
    copy.#records = [...this.#records];
    copy.#start = this.#start;
    copy.#epoch = this.#epoch;
    return copy;
  }
}
