// The counters of a world in which terms exclude each other, such as the share of time without a
// leader, and their limits. A mutant that stays safe is caught because a counter exceeds its limit.

import type { Real } from './clock.ts';
import type { ExclusiveJudge, JudgedWorld } from './judge.ts';
import { leaderlessShare } from './led-time.ts';
import type { Counters } from './protocol.ts';

/** Upper limits of the counters. A counter above its limit is a violation. */
export interface Bounds {
  readonly leaderlessShare?: number;
  /** Share of the hand-overs that are slow. */
  readonly slowHandoverShare?: number;
  /** Limit per hour and partition. */
  readonly needlessMovesPerHour?: number;
  /** Limit per hour and partition. */
  readonly renewalGapsPerHour?: number;
  /** Limit of terms that end in favor of a member with fewer partitions, as above. */
  readonly sharingMovesPerHour?: number;
  /** Share of the checks that found a member with two partitions more than another. */
  readonly unevenShare?: number;
}

/** Returns the counters of a world up to now. */
export function countersOf({
  judge,
  now,
}: {
  readonly judge: ExclusiveJudge;
  readonly now: Real;
}): Counters {
  const { doubleLeaders, tokenRegressions, needlessMoves, renewalGaps, records } = judge;
  const leaderless = { leaderlessShare: leaderlessShare(records, now) };
  return { doubleLeaders, tokenRegressions, ...leaderless, needlessMoves, renewalGaps };
}

/**
 * Returns the names of the counters that exceed their limits, in a world that has run for `hours`,
 * over all partitions.
 */
export function crossedBounds(
  { judge }: JudgedWorld,
  counters: Counters,
  bounds: Bounds,
  hours: number,
): string[] {
  const slowHandoverShare = judge.slowHandovers / Math.max(1, judge.handovers);
  const unevenShare = judge.unevenLooks / Math.max(1, judge.looks);
  const { sharingMoves } = judge;
  const { leaderlessShare: leaderless, needlessMoves, renewalGaps } = counters;
  return crossedLimits(
    {
      leaderlessShare: leaderless,
      slowHandoverShare,
      needlessMoves,
      renewalGaps,
      sharingMoves,
      unevenShare,
    },
    {
      leaderlessShare: bounds.leaderlessShare,
      slowHandoverShare: bounds.slowHandoverShare,
      needlessMoves: timesIn(hours, bounds.needlessMovesPerHour),
      renewalGaps: timesIn(hours, bounds.renewalGapsPerHour),
      sharingMoves: timesIn(hours, bounds.sharingMovesPerHour),
      unevenShare: bounds.unevenShare,
    },
  );
}

/**
 * Returns the names of the counters that exceed their limits. A counter without a limit never does.
 */
export function crossedLimits<Counter extends string>(
  counters: Readonly<Record<Counter, number>>,
  limits: Readonly<Record<Counter, number | undefined>>,
): Counter[] {
  const names = Object.keys(counters) as Counter[];
  return names.filter((name) => counters[name] > (limits[name] ?? Number.POSITIVE_INFINITY));
}

/** Converts a rate per hour into a limit for `hours`. Returns `undefined` without a rate. */
function timesIn(hours: number, perHour: number | undefined): number | undefined {
  return perHour === undefined ? undefined : Math.ceil(perHour * hours);
}
