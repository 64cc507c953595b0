import { type InductionRules, inductionRules } from '@leadership/core/internal/induction';
import { beyond, verdictOf } from '../kernel/findings.ts';
import type { Outcome, Watch } from '../kernel/outcome.ts';
import { historyHash, inStretches } from '../kernel/timeline.ts';
import { leaderlessShare } from './judge.ts';
import { newWorld, runUntil } from './run.ts';
import type { InductionScenario } from './scenario.ts';
import type { World } from './world.ts';

/**
 * The result of a simulated run. `needlessMoves` counts the terms of members to which the
 * coordinator had not assigned the partition.
 */
export interface InductionOutcome extends Outcome {
  /** Double leaders that the known gap in I5 explains. */
  readonly knownDoubleLeaders: number;
  /**
   * The longest time with two leaders, and the longest time without a leader after the first term.
   * Milliseconds.
   */
  readonly longestOverlapMs: number;
  readonly longestGapMs: number;
}

/**
 * Runs a world for `ms` simulated milliseconds. The same seed gives the same history, bit for bit.
 */
export function simulateInduction(
  scenario: InductionScenario,
  seed: number,
  ms: number,
  departure: Partial<InductionRules> = {},
): InductionOutcome {
  return simulateInductionWhile(scenario, seed, ms, departure, { goesOn: () => true });
}

/** Runs a world for at most `ms` simulated milliseconds, as long as `watch` returns true. */
export function simulateInductionWhile(
  scenario: InductionScenario,
  seed: number,
  ms: number,
  departure: Partial<InductionRules>,
  { goesOn, everyMs = stretchMs }: Watch<InductionOutcome>,
): InductionOutcome {
  const world = newWorld(scenario, { ...inductionRules, ...departure }, seed);
  return inStretches({ ms, stretchMs: everyMs, goesOn }, (until) => {
    runUntil(world, until);
    return outcomeOf(world, seed);
  });
}

/**
 * Minimum run length in milliseconds before the leaderless share is judged, so that it is
 * meaningful.
 */
const stretchMs = 600_000;

function outcomeOf(world: World, seed: number): InductionOutcome {
  const { judge, scenario, now, happenings } = world;
  const {
    doubleLeaders,
    knownDoubleLeaders,
    tokenRegressions,
    needlessMoves,
    renewalGaps,
    longestOverlapMs,
    longestGapMs,
  } = judge;
  const share = leaderlessShare(world);
  const crossed =
    now < stretchMs
      ? []
      : beyond({ leaderlessShare: share }, { leaderlessShare: scenario.leaderlessShareMax });
  const history = {
    scenario: scenario.name,
    seed,
    simulatedMs: now,
    happenings,
    historyHash: historyHash(world),
  };
  const leaders = {
    doubleLeaders,
    knownDoubleLeaders,
    tokenRegressions,
    leaderlessShare: share,
    needlessMoves,
    renewalGaps,
  };
  return {
    ...history,
    ...leaders,
    ...verdictOf(judge, crossed, scenario.name),
    longestOverlapMs,
    longestGapMs,
  };
}
