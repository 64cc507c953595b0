import type { Pairs } from '../measure/rounds.ts';
import { median, quantile } from '../measure/statistics.ts';
import type { Figures } from './figures.ts';

/** Returns the figures of a cost and its baseline. The ratio compares their medians. */
export function costOf(
  name: string,
  unit: Figures['unit'],
  limit: number,
  { ours, baseline }: Pairs,
): Figures {
  const p50 = median(ours);
  const compared = median(baseline);
  return {
    name,
    unit,
    runs: ours.length,
    p50,
    p99: quantile(ours, 0.99),
    baseline: compared,
    ratio: p50 / compared,
    limit,
    better: 'lower',
  };
}
