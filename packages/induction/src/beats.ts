// The port to the log in which members write beats, such as a Kafka topic.
import type { Instant } from '@leadership/core/adapter';
import type { Beat } from './beat.ts';

/** An item of {@link Beats.received}: the beats of each partition in its own order, without gaps. */
export type BeatEvent =
  | {
      readonly kind: 'beat';
      readonly beat: Beat;
      /**
       * When the broker wrote the beat, by the broker's own clock, in milliseconds. Only set if
       * that clock is known to be the broker's (I2).
       */
      readonly stampedMs?: number;
      /** When the reply that contained the beat arrived. */
      readonly receivedAt: Instant;
    }
  /**
   * Every later beat in these partitions will be delivered. Read from the end; older beats are not
   * needed.
   */
  | { readonly kind: 'listening'; readonly partitions: readonly number[] }
  /**
   * From here on beats may be missing, or stamps may come from another clock: the partition has a
   * new leader, or the position was lost (I2).
   */
  | { readonly kind: 'restarted'; readonly partition: number }
  /** An item that is not a beat. It is only counted; `what` is the label of the count. */
  | { readonly kind: 'ignored'; readonly what: string };

/** The transport for beats: one log per partition that every member can append to and read (I1). */
export interface Beats {
  /**
   * Appends each beat to the partition that it names. Resolves once all are written; a rejection
   * means that the outcome of each is unknown. The promise settles soon after the signal aborts.
   */
  send(beats: readonly Beat[], signal: AbortSignal): Promise<void>;
  /**
   * Yields every beat appended to `partitions` from now on, including own beats and those of other
   * groups, until the signal aborts. If the iterator throws, the driver reports a trouble, waits,
   * and calls `received` again; every partition then counts as restarted.
   */
  received(partitions: readonly number[], signal: AbortSignal): AsyncIterable<BeatEvent>;
  /** Releases all resources. The engine sends nothing afterwards. */
  close(): Promise<void>;
}
