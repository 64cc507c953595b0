// Decides whether a failed check may have failed for want of a core.
import type { LeadershipSource } from '@leadership/core';
import { type PressureMeter, pressureMeter } from './pressure.ts';
import type { StallMeter } from './stall.ts';

/**
 * Detects starvation of the machine from the suite's own measurements. The reports of a source
 * excuse nothing.
 */
export interface StarvationDetector extends Disposable {
  /** Adds a member to monitor. */
  watch(source: LeadershipSource): void;
  /** Stops monitoring a member, because the check itself injects a fault into it. */
  spare(source: LeadershipSource): void;
  /**
   * Whether the event loop stalled for half of any T, or processes waited for a CPU most of the
   * time.
   */
  readonly isStarved: boolean;
  /** Whether the term of a monitored leader expired. */
  readonly lostLease: boolean;
}

/**
 * The share of time with a process waiting for a CPU above which any member's renewals may be late.
 */
const starvedShare = 0.8;

/** Starts monitoring. */
export function starvationDetector(
  thresholdMs: number,
  stall: StallMeter,
  pressure: PressureMeter = pressureMeter(),
): StarvationDetector {
  const sources = new Set<LeadershipSource>();
  let lostLease = false;
  return {
    watch(source) {
      sources.add(source);
      source.events$.subscribe(({ kind, reason }) => {
        lostLease ||= kind === 'fenced' && reason === 'expired' && sources.has(source);
      });
    },
    spare: (source) => void sources.delete(source),
    get isStarved() {
      return stall.worstMs > thresholdMs / 2 || pressure.worstShare > starvedShare;
    },
    get lostLease() {
      return lostLease;
    },
    [Symbol.dispose]: () => pressure[Symbol.dispose](),
  };
}
