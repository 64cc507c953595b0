import type { Guarantees, LeadershipSource } from '@leadership/core';
import { Disturbed } from './failure.ts';
import type { Trial } from './trial.ts';

/** Sees at every moment who leads partition 0: for how long nobody did, and for how long two did at once. */
export interface Continuity extends Disposable {
  /** One more member to look at. Returns it. */
  watch(source: LeadershipSource): LeadershipSource;
  /** For how long nobody led, at the longest. Milliseconds. */
  readonly longestGapMs: number;
  /**
   * Somebody led ever since somebody first did, but for `gapMs`, and two at once for no longer than is guaranteed.
   * @throws Disturbed otherwise: a loop that stood still may have kept anybody from leading
   */
  insistContinuous(gapMs?: number): void;
}

/** How often it looks by itself; besides at every event. Milliseconds. */
const periodMs = 1;

/** Watches from here on: some member has to lead already. */
export function continuity({ stall }: Trial, ...sources: readonly LeadershipSource[]): Continuity {
  const watched = new Set<LeadershipSource>();
  const longest = { gapMs: 0, overlapMs: 0 };
  const since: { gap: number | undefined; overlap: number | undefined } = { gap: undefined, overlap: undefined };
  const look = (): void => {
    const now = performance.now();
    const leaders = [...watched].filter((source) => source.role(0).isLeading()).length;
    since.gap = leaders === 0 ? (since.gap ?? now) : undefined;
    since.overlap = leaders > 1 ? (since.overlap ?? now) : undefined;
    longest.gapMs = Math.max(longest.gapMs, since.gap === undefined ? 0 : now - since.gap);
    longest.overlapMs = Math.max(longest.overlapMs, since.overlap === undefined ? 0 : now - since.overlap);
    isUnled ||= leaders === 0;
  };
  let isUnled = false;
  const watch = (source: LeadershipSource): LeadershipSource => {
    watched.add(source);
    source.events$.subscribe(look);
    return source;
  };
  const timer = setInterval(look, periodMs);
  sources.forEach(watch);
  return {
    watch,
    get longestGapMs() {
      look();
      return longest.gapMs;
    },
    insistContinuous(gapMs = 0) {
      look();
      if (isUnled && longest.gapMs >= gapMs)
        throw new Disturbed(`nobody led for ${Math.round(longest.gapMs)} ms, promised were ${Math.round(gapMs)}`);
      const [any] = watched;
      insistOverlap(any?.guarantees.overlapMsMax, longest.overlapMs, stall.longestMs + 2 * periodMs);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function insistOverlap(promised: Guarantees['overlapMsMax'] | undefined, overlapMs: number, lateMs: number): void {
  if (typeof promised !== 'number' || overlapMs <= promised + lateMs) return;
  throw new Disturbed(`two led at once for ${Math.round(overlapMs)} ms, promised were ${promised} at most`);
}
