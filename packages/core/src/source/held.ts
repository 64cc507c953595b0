import type { Observable } from 'rxjs';
import type { Term } from '../contract/term.ts';
import { PartitionMap } from './partition-map.ts';
import { stream } from './stream.ts';

/** The partitions that this member leads. */
export interface Held {
  held(): ReadonlyMap<number, Term>;
  readonly held$: Observable<ReadonlyMap<number, Term>>;
  /** Notes that a term began or ended. */
  changed(): void;
  complete(): void;
}

/** A partition that this member may lead. */
interface HeldLeadership {
  readonly partition: number;
  current(): Term | undefined;
}

export function heldOf(leaderships: readonly HeldLeadership[], refresh: () => void): Held {
  const held = (): ReadonlyMap<number, Term> => {
    const terms = new PartitionMap<Term>();
    for (const leadership of leaderships) {
      const term = leadership.current();
      if (term) terms.set(leadership.partition, term);
    }
    return terms;
  };
  const stale = { is: false };
  const terms = stream<ReadonlyMap<number, Term>>(new PartitionMap(), () => {
    refresh();
    if (stale.is) update();
  });
  const update = (): void => {
    stale.is = false;
    const now = held();
    if (!isSame(terms.value, now)) terms.set(now);
  };
  return {
    held,
    held$: terms.value$,
    changed() {
      stale.is = true;
      if (terms.observed) update();
    },
    complete() {
      if (stale.is) update();
      terms.complete();
    },
  };
}

/**
 * Returns whether two maps contain the same terms. Each map is a new object, so only its content
 * shows whether it changed.
 */
function isSame(a: ReadonlyMap<number, Term>, b: ReadonlyMap<number, Term>): boolean {
  return a.size === b.size && [...a].every(([partition, term]) => b.get(partition) === term);
}
