// The record by which a leader of a `continuous` group shows that it is still in charge.
import type { Metadata } from '@leadership/core';

/**
 * One beat of one member on one partition: a proof that the member was current when the beat was
 * written (I1).
 */
export interface Beat {
  /** The group that the sender belongs to. Beats of other groups are ignored. */
  readonly group: string;
  /** The partition that the beat is about. */
  readonly partition: number;
  /**
   * `member/incarnation/partition.sequence`, never reused, so that the sender can look up when it
   * sent the beat (I2).
   */
  readonly id: string;
  /** The member name of the sender. */
  readonly member: string;
  /** The incarnation of the sender. */
  readonly incarnation: string;
  /**
   * The number of this incarnation's beats on the partition. Of two beats, the greater sequence was
   * sent later, in whatever order they arrive.
   */
  readonly sequence: number;
  /**
   * The sender's relation to the partition when it sent the beat. An unknown value of another
   * release counts as `present`.
   * - `present`: it takes part, nothing else.
   * - `assigned`: the coordinator assigned it the partition.
   * - `leading`: it led, and was in charge.
   * - `lingering`: it led, but was no longer in charge.
   */
  readonly standing: 'present' | 'assigned' | 'leading' | 'lingering' | (string & {});
  /** The token of the sender's term if it leads, otherwise 0. */
  readonly token: bigint;
  /** The number of the decision that last assigned the partition to the sender, if known. */
  readonly generation?: number;
  /** M of the sender (R3). */
  readonly partitions: number;
  /**
   * T of the sender, in milliseconds: how long other members consider it the leader after this
   * beat.
   */
  readonly thresholdMs: number;
  /** The strings that the sender publishes about itself. */
  readonly metadata?: Metadata;
}
