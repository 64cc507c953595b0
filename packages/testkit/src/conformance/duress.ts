import type { LeadershipSource } from '@leadership/core';
import { type PressureMeter, pressureMeter } from './pressure.ts';
import type { StallMeter } from './stall.ts';

/** Whether a trial's machine let anyone keep a lease. Only what the suite measures itself counts: what a source says of itself excuses nothing. */
export interface Duress extends Disposable {
  /** One more member to look at. */
  watch(source: LeadershipSource): void;
  /** What happens to this member is the check's own doing. */
  spare(source: LeadershipSource): void;
  /** Whether this loop stood still for half of any T, or processes waited for a CPU most of the time. */
  readonly isStarved: boolean;
  /** Whether a leader's term expired that the check had not cut off. */
  readonly lostLease: boolean;
}

/** The share of a period in which some process waited for a CPU, from which on renewals may be late whoever wrote them. */
const starvedShare = 0.8;
/** Looks from here on. */
export function duress(thresholdMs: number, stall: StallMeter, pressure: PressureMeter = pressureMeter()): Duress {
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
