/** Returns the items that were pushed so far. */
export async function drained<T>(queue: {
  drain(signal: AbortSignal): AsyncIterable<T>;
}): Promise<readonly T[]> {
  const items: T[] = [];
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  for await (const item of queue.drain(stop.signal)) items.push(item);
  return items;
}
