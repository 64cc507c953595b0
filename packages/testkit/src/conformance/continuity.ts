// Measures gaps and overlaps between leaders, for checks of the guarantee `continuous`.
import type { Guarantees, LeadershipSource } from '@leadership/core';
import type { CheckContext } from './check-context.ts';
import { Inconclusive } from './failure.ts';

/**
 * Monitors partition 0 and measures how long no member leads and how long two members lead at once.
 */
export interface Continuity extends Disposable {
  /** Adds a member to monitor and returns it. */
  watch(source: LeadershipSource): LeadershipSource;
  /** The longest period without a leader, in milliseconds. */
  readonly longestGapMs: number;
  /**
   * Asserts that no period without a leader reached `gapMs` and no overlap exceeded the guarantee.
   * @throws Inconclusive otherwise, because a stalled event loop may have prevented every member from
   * leading
   */
  assertContinuous(gapMs?: number): void;
}

/** The polling period in milliseconds. Every event triggers an additional poll. */
const periodMs = 1;

/** Starts monitoring. A member must already lead. */
export function continuity(
  { stall }: CheckContext,
  ...sources: readonly LeadershipSource[]
): Continuity {
  const watched = new Set<LeadershipSource>();
  const longest = { gapMs: 0, overlapMs: 0 };
  const since: { gap: number | undefined; overlap: number | undefined } = {
    gap: undefined,
    overlap: undefined,
  };
  const look = (): void => {
    const now = performance.now();
    const leaders = [...watched].filter((source) => source.role(0).isLeading()).length;
    since.gap = leaders === 0 ? (since.gap ?? now) : undefined;
    since.overlap = leaders > 1 ? (since.overlap ?? now) : undefined;
    longest.gapMs = Math.max(longest.gapMs, since.gap === undefined ? 0 : now - since.gap);
    longest.overlapMs = Math.max(
      longest.overlapMs,
      since.overlap === undefined ? 0 : now - since.overlap,
    );
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
    assertContinuous(gapMs = 0) {
      look();
      if (isUnled && longest.gapMs >= gapMs)
        throw new Inconclusive(
          `no member led for ${Math.round(longest.gapMs)} ms, promised were ${Math.round(gapMs)}`,
        );
      const [any] = watched;
      assertOverlap(
        any?.guarantees.overlapMsMax,
        longest.overlapMs,
        stall.longestMs + 2 * periodMs,
      );
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function assertOverlap(
  promised: Guarantees['overlapMsMax'] | undefined,
  overlapMs: number,
  lateMs: number,
): void {
  if (typeof promised !== 'number' || overlapMs <= promised + lateMs) return;
  throw new Inconclusive(
    `two led at once for ${Math.round(overlapMs)} ms, promised were ${promised} at most`,
  );
}
