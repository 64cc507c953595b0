// Measures other implementations beside ours, for every benchmark of elections: in the same place,
// at the same time.
import { median, quantile } from '../measure/statistics.ts';
import type { Comparison } from '../report/comparison.ts';

/** A measurement of another implementation. */
export interface Measurement {
  /** A description for the table. */
  readonly name: string;
  readonly unit: string;
  /** Yields values until the consumer stops. */
  values(): AsyncIterable<number>;
}

/** The result of a measurement beside others. */
export interface Beside<T> {
  readonly ours: T;
  readonly peers: readonly Comparison[];
  /** Remarks about measurements that failed. */
  readonly notes: readonly string[];
}

/**
 * Runs `ours`, and the other measurements until it is over, each at least once. A failure of another
 * implementation becomes a remark.
 */
export async function beside<T>(
  ours: () => Promise<T>,
  others: readonly Measurement[],
): Promise<Beside<T>> {
  let isOver = false;
  const measuring = ours().finally(() => {
    isOver = true;
  });
  const measured = others.map(async ({ name, unit, values }) => {
    const seen: number[] = [];
    try {
      for await (const value of values()) {
        seen.push(value);
        if (isOver) break;
      }
      return { name, unit, runs: seen.length, p50: median(seen), p99: quantile(seen, 0.99) };
    } catch (error) {
      return `${name}: could not be measured: ${String(error)}`;
    }
  });
  const [, ...results] = await Promise.all([measuring.catch(() => undefined), ...measured]);
  return {
    ours: await measuring,
    peers: results.filter((result) => typeof result !== 'string'),
    notes: results.filter((result) => typeof result === 'string'),
  };
}
