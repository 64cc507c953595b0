// The result of a benchmark: its numbers, the ratio to their baseline, and whether it keeps to its
// limit.
import { median, quantile } from '../measure/statistics.ts';
import type { Comparison } from './comparison.ts';

/** The unit of a benchmark's numbers. */
type Unit =
  | 'T'
  | 'ns'
  | 'ms'
  | 'ms CPU/s'
  | 'KB'
  | 's/CPU s'
  | 'terms'
  | 'records/s'
  | 'frames/s'
  | 'bytes/s'
  | 'rounds'
  | 'requests/s'
  | 'writes/s';

/** The result of a benchmark, as `--json` prints it. */
export interface Figures {
  readonly name: string;
  readonly unit: Unit;
  /** The number of measurements. */
  readonly runs: number;
  /** The median. */
  readonly p50: number;
  /**
   * The value that 99 of 100 measurements do not exceed. With fewer than a hundred measurements,
   * the worst value.
   */
  readonly p99: number;
  /** The value to compare with: measured in the same run, or configured. */
  readonly baseline: number;
  /** `p99 / baseline` if the worst value matters, as for fail-overs; otherwise `p50 / baseline`. */
  readonly ratio: number;
  /** The target for the ratio. */
  readonly limit: number;
  /** Whether the ratio should be at most (`lower`) or at least (`higher`) the limit. */
  readonly better: 'lower' | 'higher';
}

/** The result of a benchmark with explanations for the table. */
export interface Report {
  readonly figures: Figures;
  /** A short description of the baseline. */
  readonly against: string;
  /** Remarks, one per line. */
  readonly notes: readonly string[];
  /** Results of other implementations, measured in the same run. */
  readonly peers?: readonly Comparison[];
  /** The measurements of each size, if they have several values. */
  readonly rows?: readonly object[];
}

/** The number of measurements, and T. */
export interface Runs {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** What measured values are compared with. */
export interface Target extends Pick<Figures, 'name' | 'unit' | 'baseline' | 'limit'> {
  /** Which of the values the ratio compares. */
  readonly by: 'p50' | 'p99';
  /** Default `lower`. */
  readonly better?: Figures['better'];
}

/** Returns the figures of measured values, in the order in which `--json` prints them. */
export function figuresOf(
  values: readonly number[],
  { name, unit, baseline, limit, by, better = 'lower' }: Target,
): Figures {
  const p50 = median(values);
  const p99 = quantile(values, better === 'lower' ? 0.99 : 0.01);
  const ratio = { p50, p99 }[by] / baseline;
  return { name, unit, runs: values.length, p50, p99, baseline, ratio, limit, better };
}

/** Returns whether the ratio is within the limit. */
export function isReached({ ratio, limit, better }: Figures): boolean {
  return better === 'lower' ? ratio <= limit : ratio >= limit;
}
