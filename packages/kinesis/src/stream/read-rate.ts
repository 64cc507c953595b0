// Controls how often a shard is read. Kinesis limits the reads of a shard per second over all
// readers, so the members share them: each counts the readers. A member that is refused
// nevertheless reads less often for a while.

/** The reads that Kinesis allows per shard, for all readers together. Requests per second. */
const readingsASecond = 5;
/**
 * The share of reads that is left to readers that members do not know of: observers, other groups,
 * tools.
 */
const spare = 0.1;
/**
 * Intervals vary by this share in both directions, so that members do not read in step. The larger
 * value separates members that were refused together.
 */
const jitter = { answered: 0.1, refused: 0.5 };

/** Computes when to read a shard next. */
export interface ReadRate {
  /** Call when a read was answered. */
  answered(): void;
  /** Call when a read was throttled or not answered. */
  refused(): void;
  /** Returns the time until the next read. Milliseconds. */
  nextMs(): number;
}

/** The inputs of a rate. */
export interface ReadRateOptions {
  /** Returns the number of readers of the shard, as far as known. */
  readonly readers: () => number;
  /**
   * The longest pause after refusals, unless the number of readers requires a longer one.
   * Milliseconds.
   */
  readonly lastMs: number;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
}

/** Returns the interval at which each of `readers` members may read a shard. Milliseconds. */
export function readingMs(readers: number): number {
  return ((1000 / readingsASecond) * Math.max(1, readers)) / (1 - spare);
}

/** Creates a read rate that doubles the interval after each refusal and halves it after each answer. */
export function readRate({ readers, lastMs, random }: ReadRateOptions): ReadRate {
  let factor = 1;
  return {
    answered() {
      factor = Math.max(1, factor / 2);
    },
    refused() {
      factor = Math.min(2 * factor, Math.max(1, lastMs / readingMs(readers())));
    },
    nextMs() {
      const either = factor > 1 ? jitter.refused : jitter.answered;
      return factor * readingMs(readers()) * (1 - either + 2 * either * random());
    },
  };
}
