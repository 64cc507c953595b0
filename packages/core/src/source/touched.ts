/** Partitions to look at again: at first all, so that nothing is kept before anybody asks. */
export class Touched {
  #isTouched: boolean[] | undefined;
  #partitions: number[];

  constructor(partitions: number) {
    this.#partitions = Array.from({ length: partitions }, (_, partition) => partition);
  }

  /** Adds a partition. If it is among them already, this costs one comparison. */
  add(partition: number): void {
    if (this.#isTouched === undefined || this.#isTouched[partition]) return;
    this.#isTouched[partition] = true;
    this.#partitions.push(partition);
  }

  /** Returns the partitions, and removes them. */
  take(): readonly number[] {
    const partitions = this.#partitions;
    this.#isTouched ??= partitions.map(() => false);
    if (partitions.length === 0) return partitions;
    this.#partitions = [];
    for (const partition of partitions) this.#isTouched[partition] = false;
    return partitions;
  }
}
