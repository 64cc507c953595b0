// Decides which old records of a topic may be deleted (L10): a chain is the records of one lease,
// each of which names the one before. A partition may be cut below the record in effect of every
// chain in it, including the chains of other and of dead groups. The record in effect is the
// earliest visible record of the greatest height, its number in the chain.
import type { Instant } from '@leadership/core/adapter';
import type { LedgerRecord } from '@leadership/core/internal/lease';

/** A record with the place and the times of its read. */
export interface Standing {
  readonly record: LedgerRecord;
  readonly offset: bigint;
  /** The whole text, including fields that this release does not know. */
  readonly text: string;
  readonly receivedAt: Instant;
  /** The time stamp that the brokers' retention uses, in milliseconds since 1970. */
  readonly writtenMs: number;
}

/** The chains of all groups in one partition of the topic. */
export interface Chains {
  /** Adds the next record, in the log's order. */
  note(standing: Standing): void;
  /** Returns the record in effect of a chain, among the records read so far. */
  current(group: string, register: number): Standing | undefined;
  /** Returns the record in effect of each chain. */
  all(): Iterable<Standing>;
  /** Returns {@link Standing.writtenMs} of the last record. */
  newestMs(): number;
  /** Returns the lowest offset that must be kept; `undefined` without any chain. */
  lowest(): bigint | undefined;
  /** Forgets all chains, because the partition is read again. */
  forget(): void;
}

export function chains(): Chains {
  const records = new Map<string, Standing>();
  let newestMs = 0;
  const keyOf = (group: string, register: number): string => `${register} ${group}`;
  return {
    note(standing) {
      const { group, partition, height } = standing.record;
      newestMs = standing.writtenMs;
      const known = records.get(keyOf(group, partition));
      if (known === undefined || height > known.record.height)
        records.set(keyOf(group, partition), standing);
    },
    current: (group, register) => records.get(keyOf(group, register)),
    all: () => records.values(),
    newestMs: () => newestMs,
    lowest() {
      let lowest: bigint | undefined;
      for (const { offset } of records.values())
        if (lowest === undefined || offset < lowest) lowest = offset;
      return lowest;
    },
    forget() {
      records.clear();
      newestMs = 0;
    },
  };
}
