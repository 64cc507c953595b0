import { latestValue, nextWake } from '../async/latest-value.ts';
import type { Presence } from '../ledger/placement.ts';
import type { Link } from './link.ts';
import type { MemoryStore } from './store.ts';

/**
 * Creates the presence of one member, from the shared store. A member whose link is cut is absent
 * for the others and sees no changes.
 */
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
      const present = latestValue<readonly string[]>();
      const update = (): void => {
        if (!link.isCut) present.set([...store.present]);
      };
      using _presence = store.listen({ presence: update });
      using _mended = link.listen({ mended: update });
      update();
      yield* present.follow(signal);
    },
  };
}
