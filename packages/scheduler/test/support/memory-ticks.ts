import type { TickStore } from '../../src/tick-store.ts';

/** Creates a store in this process, with `times` of all claims. */
export function memoryTicks(): TickStore & { readonly times: number[] } {
  const times: number[] = [];
  return {
    times,
    latest: () => Promise.resolve(times.at(-1)),
    claim(_, at) {
      const isNew = at > (times.at(-1) ?? Number.NEGATIVE_INFINITY);
      if (isNew) times.push(at);
      return Promise.resolve(isNew);
    },
  };
}
