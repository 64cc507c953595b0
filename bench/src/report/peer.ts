import { significant } from './significant.ts';

/** What another elector came to, measured beside ours in the same run. */
export interface Peer {
  /** Who, under which settings, and what was measured. */
  readonly name: string;
  readonly unit: string;
  readonly runs: number;
  readonly p50: number;
  /** Of fewer than a hundred runs the worst. */
  readonly p99: number;
}

/** A peer's figures in a line. */
export function peerLine({ name, unit, runs, p50, p99 }: Peer): string {
  return `${name}: p50 ${significant(p50)} ${unit}, p99 ${significant(p99)} ${unit} of ${runs}`;
}
