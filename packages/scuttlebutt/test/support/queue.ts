/** A binary heap of events, ordered by time and then by insertion. */
export class Queue<Item> {
  readonly #items: { at: number; order: number; item: Item }[] = [];
  #pushed = 0;

  get size(): number {
    return this.#items.length;
  }

  /** The time of the first event; infinite if there is none. */
  get firstAt(): number {
    return this.#items[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  push(at: number, item: Item): void {
    const items = this.#items;
    const added = { at, order: this.#pushed++, item };
    let hole = items.push(added) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = items[parent];
      if (above === undefined || !precedes(added, above)) break;
      items[hole] = above;
      hole = parent;
    }
    items[hole] = added;
  }

  shift(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first?.item;
    let hole = 0;
    for (;;) {
      const [left, right] = [items[2 * hole + 1], items[2 * hole + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && precedes(right, left);
      const child = isRight ? right : left;
      if (!precedes(child, last)) break;
      items[hole] = child;
      hole = 2 * hole + (isRight ? 2 : 1);
    }
    items[hole] = last;
    return first.item;
  }
}

function precedes(a: { at: number; order: number }, b: { at: number; order: number }): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
