import type { Fetched, LogRecord } from './log-fold.ts';

/** A log in memory, with the faults of a real one: the log of tests and of the simulation. */
export class MemoryLog {
  #records: LogRecord[] = [];
  #start = 0;
  #end = 0;
  #epoch = 0;

  get start(): number {
    return this.#start;
  }

  /** The offset after the last record. */
  get end(): number {
    return this.#end;
  }

  get records(): readonly LogRecord[] {
    return this.#records;
  }

  append(text: string | undefined): void {
    this.#records.push({ offset: this.#end, epoch: this.#epoch, text });
    this.#end += 1;
  }

  /** Returns at most `max` records. An offset that is not in the log gets none. */
  fetch(from: number | undefined, max: number = Number.POSITIVE_INFINITY): Fetched {
    const { start, end } = this;
    if (from !== undefined && from < start) return { from, start, end, records: [] };
    const first = this.#indexOf(from ?? start);
    return { from, start, end, records: this.#records.slice(first, first + Math.max(2, max)) };
  }

  /** Returns the index of the first record from that offset on. Gaps only lower it. */
  #indexOf(offset: number): number {
    let index = Math.min(offset - this.#start, this.#records.length);
    while (index > 0 && (this.#records[index - 1]?.offset ?? -1) >= offset) index -= 1;
    return index;
  }

  /** Another leader takes over, without the last records. */
  changeLeader(lost: number = 0): void {
    this.#epoch += 1;
    this.#end = Math.max(this.#start, this.#end - lost);
    this.#records = this.#records.slice(0, this.#indexOf(this.#end));
  }

  /** Removes the records below an offset. */
  cut(below: number): void {
    if (below <= this.#start) return;
    const to = Math.min(below, this.#end);
    this.#records = this.#records.slice(this.#indexOf(to));
    this.#start = to;
  }

  /** Removes the records from an offset on and below another one. The log begins where it did. */
  compact(from: number, below: number): void {
    this.#records = this.#records.filter(({ offset }) => offset < from || offset >= below);
  }

  /** Another log gets the name of this one: a topic that was deleted and created again. */
  recreate(): void {
    this.#records = [];
    this.#start = 0;
    this.#end = 0;
    this.#epoch = 0;
  }

  /** Returns another copy, which later changes of this one leave alone. */
  copy(): MemoryLog {
    const copy = new MemoryLog();
    copy.#records = [...this.#records];
    copy.#start = this.#start;
    copy.#end = this.#end;
    copy.#epoch = this.#epoch;
    return copy;
  }
}
