import { ledger, named, simulate } from '@leadership/simulation';

const warmUps = 30;

/** The number of runs, and their duration in simulated time. */
export interface SimulationSpeedOptions {
  readonly runs: number;
  readonly simulatedMs: number;
}

/** Runs simulations and returns the speed of each, in simulated seconds per CPU second. */
export function simulatedSpeeds({ runs, simulatedMs }: SimulationSpeedOptions): readonly number[] {
  const seeds = Array.from({ length: warmUps + runs }, (_, index) => index + 1);
  return seeds.map((seed) => speedOf(seed, simulatedMs)).slice(warmUps);
}

function speedOf(seed: number, simulatedMs: number): number {
  const before = process.cpuUsage();
  const { doubleLeaders, first } = simulate(ledger, named(ledger.scenarios, 'rainy'), seed, {
    ms: simulatedMs,
  });
  const { user, system } = process.cpuUsage(before);
  if (doubleLeaders > 0) throw new Error(`seed ${seed} had two leaders at once: ${first}`);
  return simulatedMs / 1000 / ((user + system) / 1e6);
}
