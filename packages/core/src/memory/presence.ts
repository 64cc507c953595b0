import { latest, nextWake } from '../flow/latest.ts';
import type { Presence } from '../ledger/placement.ts';
import type { MemoryStore } from './store.ts';

/** Who is there, as the shared store knows at once. */
export function memoryPresence(store: MemoryStore, incarnation: string): Presence {
  return {
    async announce(signal) {
      store.arrive(incarnation);
      await nextWake(new Set(), signal);
      store.leave(incarnation);
    },
    async *present(signal) {
      const present = latest<readonly string[]>([...store.present]);
      using _listening = store.listen({ presence: () => present.set([...store.present]) });
      yield* present.follow(signal);
    },
  };
}
