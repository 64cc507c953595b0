import { median, quantile } from '../measure/statistics.ts';
import type { Figures } from './figures.ts';

/** Returns the figures of outages, with T as the baseline. The ratio uses the p99. */
export function outageFigures(
  name: string,
  outages: readonly number[],
  thresholdMs: number,
  limit: number,
): Figures {
  const [p50, p99] = [median(outages), quantile(outages, 0.99)];
  const ratio = p99 / thresholdMs;
  return {
    name,
    unit: 'ms',
    runs: outages.length,
    p50,
    p99,
    baseline: thresholdMs,
    ratio,
    limit,
    better: 'lower',
  };
}
