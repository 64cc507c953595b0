// How far a partition of the topic may be cut (L10): anywhere below the record in effect of every chain in it, those of other
// groups and of dead ones included. In effect is the earliest of the greatest height that is visible.
import type { Instant } from '@leadership/core/backend';
import type { LedgerRecord } from '@leadership/core/ledger';

/** A record as it was read. */
export interface Standing {
  readonly record: LedgerRecord;
  readonly offset: bigint;
  /** All of it, with what this release knows nothing of. */
  readonly text: string;
  readonly receivedAt: Instant;
  /** The time by which brokers tell what is old. Milliseconds since 1970. */
  readonly writtenMs: number;
}

/** The chains of one partition of the topic, whosever they are. */
export interface Chains {
  /** One more record, in the log's order. */
  note(standing: Standing): void;
  /** What is in effect in a chain, as far as was read. */
  current(group: string, register: number): Standing | undefined;
  /** What is in effect in each. */
  all(): Iterable<Standing>;
  /** When the last of all records was written, as {@link Standing.writtenMs} has it. */
  newestMs(): number;
  /** The lowest offset that has to stay; `undefined` where there is no chain. */
  lowest(): bigint | undefined;
  /** Nothing is known any more: the partition is read again. */
  forget(): void;
}

export function chains(): Chains {
  const links = new Map<string, Standing>();
  let newestMs = 0;
  const keyOf = (group: string, register: number): string => `${register} ${group}`;
  return {
    note(standing) {
      const { group, partition, height } = standing.record;
      newestMs = standing.writtenMs;
      const known = links.get(keyOf(group, partition));
      if (known === undefined || height > known.record.height) links.set(keyOf(group, partition), standing);
    },
    current: (group, register) => links.get(keyOf(group, register)),
    all: () => links.values(),
    newestMs: () => newestMs,
    lowest() {
      let lowest: bigint | undefined;
      for (const { offset } of links.values()) if (lowest === undefined || offset < lowest) lowest = offset;
      return lowest;
    },
    forget() {
      links.clear();
      newestMs = 0;
    },
  };
}
