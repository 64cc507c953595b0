// The queue of a world's events, by their time. It is a heap with four children per node, which
// halves its height compared with two, and with its keys in plain arrays of numbers. Items with
// equal times come out in insertion order, so that a history depends only on its seed.
import { defined } from './random.ts';

/** Items ordered by time. */
export interface Queue<Item> {
  times: Float64Array;
  orders: Float64Array;
  readonly items: Item[];
  /** Number of items ever inserted. */
  pushed: number;
}

/** Initial capacity. The queue grows on demand, but few worlds have more pending events. */
const usualSize = 1024;

/** Returns an empty queue. */
export function newQueue<Item>(): Queue<Item> {
  return {
    times: new Float64Array(usualSize),
    orders: new Float64Array(usualSize),
    items: [],
    pushed: 0,
  };
}

/** Inserts `item` with key `time`. */
export function push<Item>(queue: Queue<Item>, time: number, item: Item): void {
  const { items } = queue;
  let hole = items.length;
  if (hole === queue.times.length) grow(queue);
  const { times, orders } = queue;
  items.push(item);
  while (hole > 0) {
    const parent = (hole - 1) >> 2;
    if ((times[parent] as number) <= time) break;
    move(times, orders, items, parent, hole);
    hole = parent;
  }
  times[hole] = time;
  orders[hole] = queue.pushed;
  items[hole] = item;
  queue.pushed += 1;
}

/** Returns the time of the first item, or infinity if the queue is empty. */
export function firstTime({ times, items }: Queue<unknown>): number {
  return items.length === 0 ? Number.POSITIVE_INFINITY : (times[0] as number);
}

/** Removes the first item and returns it. */
export function shift<Item>({ times, orders, items }: Queue<Item>): Item {
  const first = defined(items[0]);
  const size = items.length - 1;
  const item = items.pop() as Item;
  if (size === 0) return first;
  const time = times[size] as number;
  const order = orders[size] as number;
  let hole = 0;
  for (let child = 1; child < size; child = 4 * hole + 1) {
    child = earliest(times, orders, child, Math.min(child + 4, size));
    if (!isBefore(times, orders, child, time, order)) break;
    move(times, orders, items, child, hole);
    hole = child;
  }
  times[hole] = time;
  orders[hole] = order;
  items[hole] = item;
  return first;
}

function move(
  times: Float64Array,
  orders: Float64Array,
  items: unknown[],
  from: number,
  to: number,
): void {
  times[to] = times[from] as number;
  orders[to] = orders[from] as number;
  items[to] = items[from];
}

/** Returns the first item among the children from `child` up to, but not including, `end`. */
function earliest(times: Float64Array, orders: Float64Array, child: number, end: number): number {
  let first = child;
  for (let other = child + 1; other < end; other += 1) {
    if (isBefore(times, orders, other, times[first] as number, orders[first] as number))
      first = other;
  }
  return first;
}

function isBefore(
  times: Float64Array,
  orders: Float64Array,
  index: number,
  time: number,
  order: number,
): boolean {
  const at = times[index] as number;
  return at < time || (at === time && (orders[index] as number) < order);
}

function grow(queue: Queue<unknown>): void {
  const { times, orders } = queue;
  queue.times = new Float64Array(2 * times.length);
  queue.times.set(times);
  queue.orders = new Float64Array(2 * orders.length);
  queue.orders.set(orders);
}
