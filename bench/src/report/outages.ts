import { median, quantile } from '../measure/statistics.ts';
import type { Figures } from './figures.ts';

/** The figures of outages that are measured against T: the worst of them counts. */
export function outageFigures(name: string, outages: readonly number[], thresholdMs: number, limit: number): Figures {
  const [p50, p99] = [median(outages), quantile(outages, 0.99)];
  const ratio = p99 / thresholdMs;
  return { name, unit: 'ms', runs: outages.length, p50, p99, baseline: thresholdMs, ratio, limit, better: 'lower' };
}

/** Whether half of them are shorter than T, in a line. */
export function halfBelowThreshold({ p50, baseline }: Figures): string {
  return `p50 ${p50 < baseline ? '<' : '≥'} T: ${(p50 / baseline).toFixed(3)} T`;
}
