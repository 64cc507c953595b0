/** Returns the list rotated, so that each turn starts with another item. */
export function rotated<T>(items: readonly T[], turn: number): T[] {
  const start = turn % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
