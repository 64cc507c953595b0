import type { Instant } from '../time/instant.ts';
import type { Beat } from './beat.ts';

/** What reading the partitions brings: each partition's beats in its own order, none of them skipped. */
export type BeatNews =
  | {
      readonly kind: 'beat';
      readonly beat: Beat;
      /** When the broker wrote it, by the broker's own clock, in milliseconds. Only where that clock is the broker's for certain (I2). */
      readonly stampedMs?: number;
      /** When the reply that brought it arrived. */
      readonly receivedAt: Instant;
    }
  /** From here on every beat in these partitions will be heard. Nothing older is needed: read from the end. */
  | { readonly kind: 'listening'; readonly partitions: readonly number[] }
  /** Beats may have been skipped, or stamps come from another clock from here on: a new leader of the partition, a lost position (I2). */
  | { readonly kind: 'restarted'; readonly partition: number }
  /** Something there is no beat: counted, and nothing else. */
  | { readonly kind: 'ignored'; readonly what: string };

/** How beats travel: a log per partition that every member can append to and read (I1). */
export interface Beats {
  /**
   * Appends each beat to the partition it names. Resolves once all are written; a rejection means unknown, for each of them.
   * Ends, one way or the other, soon after the signal aborts.
   */
  send(beats: readonly Beat[], signal: AbortSignal): Promise<void>;
  /**
   * Every beat appended to `partitions` from now on, own ones and other groups' included, until the signal aborts.
   * A throw is trouble: the driver waits a little and calls again, and that is a restart of every partition.
   */
  heard(partitions: readonly number[], signal: AbortSignal): AsyncIterable<BeatNews>;
  /** Lets go of everything. Nothing is sent after it. */
  close(): Promise<void>;
}
