// A binary heap with its keys beside the items, in plain numbers. Equal times come out in the order they went in, so that a
// history depends on nothing but its seed.
import { there } from './random.ts';

/** Items in the order of their time. */
export interface Queue<Item> {
  readonly times: number[];
  readonly orders: number[];
  readonly items: Item[];
  /** How many were ever put in. */
  pushed: number;
}

export function newQueue<Item>(): Queue<Item> {
  return { times: [], orders: [], items: [], pushed: 0 };
}

/** Puts `item` in, to come out at `time`. */
export function push<Item>(queue: Queue<Item>, time: number, item: Item): void {
  const { times, orders, items } = queue;
  const order = queue.pushed;
  queue.pushed = order + 1;
  let hole = items.length;
  items.push(item);
  times.push(time);
  orders.push(order);
  while (hole > 0) {
    const parent = (hole - 1) >> 1;
    if ((times[parent] as number) <= time) break;
    times[hole] = times[parent] as number;
    orders[hole] = orders[parent] as number;
    items[hole] = items[parent] as Item;
    hole = parent;
  }
  times[hole] = time;
  orders[hole] = order;
  items[hole] = item;
}

/** The time of the first item, or infinity. */
export function firstTime({ times }: Queue<unknown>): number {
  return times.length === 0 ? Number.POSITIVE_INFINITY : (times[0] as number);
}

/** Takes the first item out. */
export function shift<Item>(queue: Queue<Item>): Item {
  const { times, orders, items } = queue;
  const first = there(items[0]);
  const item = items.pop() as Item;
  const time = times.pop() as number;
  const order = orders.pop() as number;
  if (items.length > 0) sink(queue, item, time, order);
  return first;
}

function sink<Item>({ times, orders, items }: Queue<Item>, item: Item, time: number, order: number): void {
  const size = items.length;
  let hole = 0;
  for (let child = 1; child < size; child = 2 * hole + 1) {
    const other = child + 1;
    if (other < size && isBefore(times, orders, other, times[child] as number, orders[child] as number)) child = other;
    if (!isBefore(times, orders, child, time, order)) break;
    times[hole] = times[child] as number;
    orders[hole] = orders[child] as number;
    items[hole] = items[child] as Item;
    hole = child;
  }
  times[hole] = time;
  orders[hole] = order;
  items[hole] = item;
}

function isBefore(times: readonly number[], orders: readonly number[], index: number, time: number, order: number): boolean {
  const at = times[index] as number;
  return at < time || (at === time && (orders[index] as number) < order);
}
