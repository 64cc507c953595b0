import { latest, nextWake } from '../flow/latest.ts';
import type { Presence } from '../ledger/placement.ts';
import type { Link } from './link.ts';
import type { MemoryStore } from './store.ts';

/** Who is there, as the shared store knows at once. A member whose link is cut is there for nobody, and sees nobody come or go. */
export function memoryPresence(store: MemoryStore, link: Link, incarnation: string): Presence {
  const arrive = (): void => store.arrive(incarnation);
  const leave = (): void => store.leave(incarnation);
  return {
    async announce(signal) {
      using _listening = link.listen({ cut: leave, mended: arrive });
      if (!link.isCut) arrive();
      await nextWake(new Set(), signal);
      leave();
    },
    async *present(signal) {
      const present = latest<readonly string[]>();
      const look = (): void => {
        if (!link.isCut) present.set([...store.present]);
      };
      using _presence = store.listen({ presence: look });
      using _mended = link.listen({ mended: look });
      look();
      yield* present.follow(signal);
    },
  };
}
