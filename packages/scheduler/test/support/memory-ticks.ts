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

/** Creates a store with a claim at `at`, which refuses tokens as long as `refuses` is set. */
export function refusingTicks(at: number): TickStore & { refuses: boolean } {
  const store = memoryTicks();
  store.times.push(at);
  return {
    refuses: true,
    latest: (name) => store.latest(name),
    claim(...claim) {
      return this.refuses ? Promise.resolve(false) : store.claim(...claim);
    },
  };
}
