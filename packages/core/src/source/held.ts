import type { Observable } from 'rxjs';
import type { Term } from '../contract/term.ts';
import { PartitionMap } from './partition-map.ts';
import { stream } from './stream.ts';
import type { Touched } from './touched.ts';

/** The partitions that this member leads. */
export interface Held {
  held(): ReadonlyMap<number, Term>;
  readonly held$: Observable<ReadonlyMap<number, Term>>;
  /** Notifies the subscribers that touched partitions have changed. */
  changed(): void;
  complete(): void;
}

/** The terms of this member, by partition. */
export interface OwnTerms {
  readonly leaderships: readonly {
    /** The token of the term that has begun and not ended. */
    readonly token: bigint | undefined;
    /** Returns whether this member leads the partition now. */
    isLeading(): boolean;
    /** Returns the term in which it does. */
    current(): Term | undefined;
  }[];
  /** Touches the partitions whose term has expired and has not been ended yet. */
  readonly touchExpired: () => void;
  /** Ends terms whose deadline has passed. */
  readonly refresh: () => void;
}

/** `touched`: the partitions whose answer may have changed, added before anything is notified. */
export function heldOf(touched: Touched, { leaderships, touchExpired, refresh }: OwnTerms): Held {
  const current = (partition: number): Term | undefined => leaderships[partition]?.current();
  let known = new PartitionMap<Term>();
  const held = (): PartitionMap<Term> => {
    touchExpired();
    known = known.updated(touched.take(), current);
    return known;
  };
  const update = (): void => {
    const now = held();
    if (!now.equals(terms.value)) terms.set(now);
  };
  const terms = stream(known, () => {
    refresh();
    update();
  });
  return {
    held,
    held$: terms.value$,
    changed() {
      if (terms.observed) update();
    },
    complete() {
      update();
      terms.complete();
    },
  };
}
