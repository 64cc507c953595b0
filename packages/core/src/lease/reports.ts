// Reports to the host which member leads each partition. A step may find thousands of leaders at once:
// when a group is read for the first time, or when a member with thousands of partitions ends. Exclusion
// does not rest on these reports, so some wait for later turns of the event loop, in which others work.
import { type Instant, longAgo } from '../time/instant.ts';
import type { Output } from './types.ts';

export type LeaderReport = Output & { readonly kind: 'leader' };

/** The number of reports of a step, or of a turn, that do not wait. */
const reportsMax = 512;

/** The parts of their shell that reports need. */
export interface ReportsParts {
  readonly report: (report: LeaderReport) => void;
  /** Calls back in a later turn of the event loop, unless the shell has ended. */
  readonly later: (goOn: () => void) => void;
}

/** Reports leaders, each partition's in order. */
export class Reports {
  readonly #parts: ReportsParts;
  readonly #waiting = new Map<number, LeaderReport>();
  #at: Instant = longAgo;
  #left = reportsMax;
  #isTurnNext = false;
  #settled: (() => void) | undefined;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  /**
   * Reports a leader that a step at that instant has found, or lets the report wait for a later turn. An
   * earlier report of the same partition that waits comes first.
   */
  add(report: LeaderReport, at: Instant): void {
    if (at !== this.#at) this.#left = reportsMax;
    this.#at = at;
    this.settle(report.partition);
    if (this.#left > 0) return this.#report(report);
    this.#waiting.set(report.partition, report);
    this.#goOnLater();
  }

  /** Reports what waits of a partition, before the host receives more of it. */
  settle(partition: number): void {
    const report = this.#waiting.get(partition);
    if (report === undefined) return;
    this.#waiting.delete(partition);
    this.#report(report);
  }

  /** Calls back once nothing waits. */
  whenSettled(settled: () => void): void {
    if (this.#waiting.size === 0) settled();
    else this.#settled = settled;
  }

  #report(report: LeaderReport): void {
    this.#left -= 1;
    this.#parts.report(report);
  }

  #goOnLater(): void {
    if (this.#isTurnNext) return;
    this.#isTurnNext = true;
    this.#parts.later(() => {
      this.#isTurnNext = false;
      this.#left = reportsMax;
      for (const partition of this.#waiting.keys()) {
        if (this.#left <= 0) return this.#goOnLater();
        this.settle(partition);
      }
      this.#settled?.();
      this.#settled = undefined;
    });
  }
}
