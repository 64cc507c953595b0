// The figures of a benchmark that compares the cost of an operation with that of a baseline.
import type { Pairs } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { type Figures, figuresOf } from './figures.ts';

/** Returns the figures of a cost and its baseline. The ratio compares their medians. */
export function costOf(
  name: string,
  unit: Figures['unit'],
  limit: number,
  { ours, baseline }: Pick<Pairs, 'ours' | 'baseline'>,
): Figures {
  return figuresOf(ours, { name, unit, limit, baseline: median(baseline), by: 'p50' });
}
