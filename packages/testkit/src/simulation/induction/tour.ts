import { legsOf, oneLeg } from '../legs.ts';
import { there } from '../random.ts';
import { type Size, usualSize } from '../sized.ts';
import type { InductionMutant } from './mutants.ts';
import type { InductionScenario } from './scenario.ts';
import { inductionScenarioNamed, inductionScenarios } from './scenarios.ts';
import { type InductionOutcome, simulateInductionWhile } from './simulate.ts';

/** What a run is to be like. */
export interface InductionJourney {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  /** Lives by its rules in place of the protocol's, in the scenario that provokes it best. */
  readonly mutant?: InductionMutant;
  /** Runs one world of this scenario alone, from the very seed. */
  readonly scenario?: InductionScenario;
}

/** The outcomes of one world after the other: each kind gets its turn. What follows a violation is not lived any more. */
export function* tourInduction({
  seed,
  ms,
  size,
  mutant,
  scenario: alone,
}: InductionJourney): Generator<InductionOutcome, void, undefined> {
  for (const leg of alone ? oneLeg(seed, ms) : legsOf(seed, ms)) {
    const usual = mutant ? inductionScenarioNamed(mutant.scenario) : there(inductionScenarios[leg.index % inductionScenarios.length]);
    const scenario = alone ?? usual;
    const outcome = simulateInductionWhile(inducedSize(scenario, size), leg.seed, leg.ms, mutant?.departure ?? {}, { goesOn: isSound });
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

function isSound({ broken }: InductionOutcome): boolean {
  return Object.keys(broken).length === 0;
}

/** The same scenario in another size. Everything that is long or short in terms of T stays so. */
function inducedSize(scenario: InductionScenario, { nodes, partitions, thresholdMs }: Size): InductionScenario {
  const factor = thresholdMs / usualSize.thresholdMs;
  const { network, draining, rhythm, brokerStepMs, gapMsMax } = scenario;
  const scaled = (ms: readonly [number, number]): readonly [number, number] => [ms[0] * factor, ms[1] * factor];
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
    // One that is alone has nobody to take over from it; the network is as quick as ever.
    gapMsMax: gapMsMax === undefined || nodes < 2 ? undefined : gapMsMax * factor,
    leaderlessShareMax: nodes < 2 ? undefined : scenario.leaderlessShareMax,
  };
}
