import { legsOf, oneLeg } from '../kernel/legs.ts';
import { isSound } from '../kernel/outcome.ts';
import { there } from '../kernel/random.ts';
import type { Size } from '../kernel/size.ts';
import { usualSize } from '../ledger/sized.ts';
import type { InductionMutant } from './mutants.ts';
import type { InductionScenario } from './scenario.ts';
import { inductionScenarioNamed, inductionScenarios } from './scenarios.ts';
import { type InductionOutcome, simulateInductionWhile } from './simulate.ts';

/** The options of a run. */
export interface InductionJourney {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  /** Replaces rules of induction in the mutant's own scenario. */
  readonly mutant?: InductionMutant;
  /** Runs a single world of this scenario, with exactly this seed. */
  readonly scenario?: InductionScenario;
}

/**
 * Yields the outcome of one world after the other, and cycles through the scenarios. Stops after
 * the first violation.
 */
export function* tourInduction({
  seed,
  ms,
  size,
  mutant,
  scenario: alone,
}: InductionJourney): Generator<InductionOutcome, void, undefined> {
  for (const leg of alone ? oneLeg(seed, ms) : legsOf(seed, ms)) {
    const usual = mutant
      ? inductionScenarioNamed(mutant.scenario)
      : there(inductionScenarios[leg.index % inductionScenarios.length]);
    const scenario = alone ?? usual;
    const outcome = simulateInductionWhile(
      inducedSize(scenario, size),
      leg.seed,
      leg.ms,
      mutant?.departure ?? {},
      { goesOn: isSound },
    );
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

/** Returns the scenario in another size. Durations that depend on T scale with T. */
function inducedSize(
  scenario: InductionScenario,
  { nodes, partitions, thresholdMs }: Size,
): InductionScenario {
  const factor = thresholdMs / usualSize.thresholdMs;
  const { network, draining, rhythm, brokerStepMs, gapMsMax } = scenario;
  const scaled = (ms: readonly [number, number]): readonly [number, number] => [
    ms[0] * factor,
    ms[1] * factor,
  ];
  return {
    ...scenario,
    nodes,
    partitions,
    thresholdMs: scenario.thresholdMs * factor,
    sessionMs: scenario.sessionMs * factor,
    rebalanceMs: scenario.rebalanceMs * factor,
    heartbeatMs: scenario.heartbeatMs * factor,
    beatMs: scenario.beatMs * factor,
    clockErrorMsMax: scenario.clockErrorMsMax * factor,
    brokerStepMs: scaled(brokerStepMs),
    network: { ...network, lateMsMax: network.lateMsMax * factor },
    draining: { ...draining, ms: scaled(draining.ms), timeoutMs: draining.timeoutMs * factor },
    rhythm: rhythm.kind === 'free' ? rhythm : { ...rhythm, restMs: rhythm.restMs * factor },
    // A single node has no successor. The network delay does not scale.
    gapMsMax: gapMsMax === undefined || nodes < 2 ? undefined : gapMsMax * factor,
    leaderlessShareMax: nodes < 2 ? undefined : scenario.leaderlessShareMax,
  };
}
