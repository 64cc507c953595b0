/** Resolves with the first `count` values. */
export async function take<T>(from: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  if (count > 0)
    for await (const one of from) {
      taken.push(one);
      if (taken.length === count) break;
    }
  return taken;
}
