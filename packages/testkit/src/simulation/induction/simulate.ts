import { type InductionRules, inductionRules } from '@leadership/core/engine';
import { beyond, verdictOf } from '../findings.ts';
import type { Outcome, Watch } from '../simulate.ts';
import { historyHash, inStretches } from '../timeline.ts';
import { leaderlessShare } from './judge.ts';
import { newWorld, runUntil } from './run.ts';
import type { InductionScenario } from './scenario.ts';
import type { World } from './world.ts';

/** What a simulated stretch of time came to. `needlessMoves`: terms that began with a member that the coordinator had not assigned the partition. */
export interface InductionOutcome extends Outcome {
  /** Those of the hole in I5. */
  readonly knownDoubleLeaders: number;
  /** The longest time for which two led, and for which nobody did after somebody had. Milliseconds. */
  readonly longestOverlapMs: number;
  readonly longestGapMs: number;
}

/** Lets a world run for `ms` simulated milliseconds. What `seed` decides, it decides bit for bit. */
export function simulateInduction(
  scenario: InductionScenario,
  seed: number,
  ms: number,
  departure: Partial<InductionRules> = {},
): InductionOutcome {
  return simulateInductionWhile(scenario, seed, ms, departure, { goesOn: () => true });
}

/** Runs a world for `ms` at most, for as long as `watch` says. */
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

/** Long enough for a share of time to mean something: it is judged no sooner. Milliseconds. */
const stretchMs = 600_000;

function outcomeOf(world: World, seed: number): InductionOutcome {
  const { judge, scenario, now, happenings } = world;
  const { doubleLeaders, knownDoubleLeaders, tokenRegressions, needlessMoves, renewalGaps, longestOverlapMs, longestGapMs } = judge;
  const share = leaderlessShare(world);
  const crossed = now < stretchMs ? [] : beyond({ leaderlessShare: share }, { leaderlessShare: scenario.leaderlessShareMax });
  const history = { scenario: scenario.name, seed, simulatedMs: now, happenings, historyHash: historyHash(world) };
  const leaders = { doubleLeaders, knownDoubleLeaders, tokenRegressions, leaderlessShare: share, needlessMoves, renewalGaps };
  return { ...history, ...leaders, ...verdictOf(judge, crossed, scenario.name), longestOverlapMs, longestGapMs };
}
