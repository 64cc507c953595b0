// How far a partition of the topic may be cut (L10): anywhere below the record in effect of every chain in it, those of other
// groups and of dead ones included. In effect is the earliest of the greatest height that is visible.
import type { LedgerRecord } from '@leadership/core/ledger';

/** What is in effect in a chain, and where it stands. */
interface Effective {
  readonly record: LedgerRecord;
  readonly offset: bigint;
}

/** The chains of one partition of the topic, whosever they are. */
export interface Chains {
  /** One more record, in the log's order. */
  note(record: LedgerRecord, offset: bigint): void;
  /** What is in effect in a chain, as far as was read. */
  current(group: string, register: number): Effective | undefined;
  /** The lowest offset that has to stay; `undefined` where there is no chain. */
  lowest(): bigint | undefined;
  /** Nothing is known any more: the partition is read again. */
  forget(): void;
}

export function chains(): Chains {
  const links = new Map<string, Effective>();
  const keyOf = (group: string, register: number): string => `${register} ${group}`;
  return {
    note(record, offset) {
      const key = keyOf(record.group, record.partition);
      const known = links.get(key);
      if (known === undefined || record.height > known.record.height) links.set(key, { record, offset });
    },
    current: (group, register) => links.get(keyOf(group, register)),
    lowest() {
      let lowest: bigint | undefined;
      for (const { offset } of links.values()) if (lowest === undefined || offset < lowest) lowest = offset;
      return lowest;
    },
    forget: () => links.clear(),
  };
}
