import type { Metadata } from '../contract/leader.ts';

/**
 * What the sender is to the partition. `present` — it is there, no more; `assigned` — the coordinator assigned it the partition;
 * `leading` — it led when it sent this, and was in charge; `lingering` — it led when it sent this, but was in charge no more. Words
 * of other releases count as `present`.
 */
export type Standing = 'present' | 'assigned' | 'leading' | 'lingering' | (string & {});

/** One beat of one member on one partition: proof that it was current when the beat was written (I1). */
export interface Beat {
  readonly group: string;
  readonly partition: number;
  /** member/incarnation/partition.sequence: never used again, so that its sender knows when it sent it (I2). */
  readonly id: string;
  readonly member: string;
  readonly incarnation: string;
  /** Counts this incarnation's beats on the partition: of two, the greater was sent later, in whichever order they arrive. */
  readonly sequence: number;
  readonly standing: Standing;
  /** The number of the sender's term, where it is leading; else 0. */
  readonly token: bigint;
  /** The coordinator's decision by which the partition is the sender's, or was last, where the number is known. */
  readonly generation?: number;
  /** M of the sender (R3). */
  readonly partitions: number;
  /** T of the sender, in milliseconds: for how long others take it for the leader. */
  readonly thresholdMs: number;
  readonly metadata?: Metadata;
}
