// The result of another implementation beside ours, in a benchmark's report.
import { median, quantile } from '../measure/statistics.ts';
import { significant } from './significant.ts';

/** The result of another implementation, measured in the same run. */
export interface Comparison {
  /** The implementation, its settings, and the measured quantity. */
  readonly name: string;
  readonly unit: string;
  readonly runs: number;
  readonly p50: number;
  /** With fewer than a hundred runs, the worst value. */
  readonly p99: number;
}

/** Returns the result of a peer from its measurements. */
export function comparisonOf(name: string, unit: string, measured: readonly number[]): Comparison {
  const [p50, p99] = [median(measured), quantile(measured, 0.99)];
  return { name, unit, runs: measured.length, p50, p99 };
}

/** Formats a peer's result as one line. */
export function comparisonLine({ name, unit, runs, p50, p99 }: Comparison): string {
  return `${name}: p50 ${significant(p50)} ${unit}, p99 ${significant(p99)} ${unit} of ${runs}`;
}
