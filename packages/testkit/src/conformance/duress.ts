import type { LeadershipSource } from '@leadership/core';
import type { StallMeter } from './stall.ts';

/** Whether a trial's machine let anyone keep a lease. */
export interface Duress extends Disposable {
  /** One more member to look at. */
  watch(source: LeadershipSource): void;
  /** What happens to this member is the check's own doing. */
  spare(source: LeadershipSource): void;
  /** Whether a leader went without a turn of the loop, or an answer of the store, for half a lease: whoever wrote it, its renewals are late. */
  readonly isStarved: boolean;
  /** Whether a leader's term expired that the check had not cut off. */
  readonly lostLease: boolean;
}

/** How often it looks. Milliseconds. */
const periodMs = 5;

/** Looks from here on. */
export function duress(thresholdMs: number, stall: StallMeter): Duress {
  const sources = new Set<LeadershipSource>();
  let isUnanswered = false;
  let lostLease = false;
  const look = (): void => {
    for (const source of sources) isUnanswered ||= isLeftWaiting(source, thresholdMs / 2);
  };
  const timer = setInterval(look, periodMs);
  return {
    watch(source) {
      sources.add(source);
      source.events$.subscribe(({ kind, reason }) => {
        lostLease ||= kind === 'fenced' && reason === 'expired' && sources.has(source);
      });
    },
    spare: (source) => void sources.delete(source),
    get isStarved() {
      return isUnanswered || stall.longestMs > thresholdMs / 2;
    },
    get lostLease() {
      return lostLease;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Whether a member waits for the store: for the answer to a write, or, while it leads, for any answer at all. */
function isLeftWaiting(source: LeadershipSource, ms: number): boolean {
  const { confirmedMsAgo = 0, troubles } = source.health();
  return troubles.some(({ code }) => code === 'unreachable') || (source.held().size > 0 && confirmedMsAgo > ms);
}
