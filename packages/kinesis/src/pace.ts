// How often a shard is read. Kinesis answers so many readings a second, whoever asks, so members share them out: each knows how many
// there are, and who was refused all the same reads less often for a while.

/** What Kinesis answers for one shard, to all readers together. Requests a second. */
const readingsASecond = 5;
/** A little is left to those that nobody knows of: observers, other groups, people. A share. */
const spare = 0.1;
/** Periods differ by so much either way, so that members do not read in step. A share; the second is for those that were refused together. */
const jitter = { answered: 0.1, refused: 0.5 };

/** When a shard is read next. */
export interface Pace {
  answered(): void;
  /** It was not: there was too much, or no answer. */
  refused(): void;
  /** How long to wait now. Milliseconds. */
  nextMs(): number;
}

/** What a pace depends on. */
export interface PaceOptions {
  /** How many read the shard, as far as is known. */
  readonly readers: () => number;
  /** The longest pause after refusals, where the readers' number does not make it longer. Milliseconds. */
  readonly lastMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** How often one of so many readers reads a shard. Milliseconds. */
export function readingMs(readers: number): number {
  return ((1000 / readingsASecond) * Math.max(1, readers)) / (1 - spare);
}

export function pace({ readers, lastMs, random }: PaceOptions): Pace {
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
