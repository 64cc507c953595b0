import type { Peer } from './peer.ts';

/** In what a benchmark's numbers are given. */
type Unit = 'ns' | 'ms' | 'ms CPU/s' | 'KB' | 's/CPU s' | 'terms' | 'records/s' | 'frames/s' | 'requests/s';

/** What a benchmark came to: the line that `--json` prints. */
export interface Figures {
  readonly name: string;
  readonly unit: Unit;
  /** How many measurements `p50` and `p99` are of. */
  readonly runs: number;
  /** Half of the runs were no worse than this. */
  readonly p50: number;
  /** 99 of 100 runs were no worse than this; of fewer than a hundred runs it is the worst. */
  readonly p99: number;
  /** What it is compared with: measured in the same run, or configured there. */
  readonly baseline: number;
  /** `p99 / baseline` where the worst is what counts, as in fail-overs; `p50 / baseline` of everything else. */
  readonly ratio: number;
  /** The ratio to reach. */
  readonly limit: number;
  /** On which side of the limit a ratio is good. */
  readonly better: 'lower' | 'higher';
}

/** Figures, and what a reader of the table ought to know beside them. */
export interface Report {
  readonly figures: Figures;
  /** What the baseline is, in a few words. */
  readonly against: string;
  /** One remark a line. */
  readonly notes: readonly string[];
  /** Others that were measured beside it. */
  readonly peers?: readonly Peer[];
}

/** Whether the ratio reaches the limit. */
export function isReached({ ratio, limit, better }: Figures): boolean {
  return better === 'lower' ? ratio <= limit : ratio >= limit;
}
