// How fast simulated time passes: seconds of the simulated world per second of CPU. The world is the one of the simulate
// command: three nodes, four partitions, T = 1 s, processes and network that misbehave, and every invariant asserted at
// every event. Each run is another seed, after as many as it takes the compiler to settle: some two seconds of CPU. The CPU
// time of this process counts, so that waiting for a core does not.
import { scenarioNamed, simulate } from '@leadership/testkit/simulation';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';

/** What is to be reached. Simulated seconds per CPU second. */
const speed = 20_000;
const warmUps = 30;

/** How often, and how long in the simulated world. */
export interface SimulationSpeedOptions {
  readonly runs: number;
  readonly simulatedMs: number;
}

/** Runs it. */
export async function simulationSpeed({ runs, simulatedMs }: SimulationSpeedOptions): Promise<Report> {
  const seeds = Array.from({ length: warmUps + runs }, (_, index) => index + 1);
  const speeds = seeds.map((seed) => speedOf(seed, simulatedMs)).slice(warmUps);
  const p50 = median(speeds);
  const figures = { name: 'simulation-speed', unit: 's/CPU s', runs, p50, p99: quantile(speeds, 0.01), baseline: speed } as const;
  const notes = [`${simulatedMs / 1000} simulated seconds a run, of the scenario "rainy"`];
  return { figures: { ...figures, ratio: p50 / speed, limit: 1, better: 'higher' }, against: 'the number to reach', notes };
}

function speedOf(seed: number, simulatedMs: number): number {
  const before = process.cpuUsage();
  const { doubleLeaders, first } = simulate(scenarioNamed('rainy'), seed, simulatedMs);
  const { user, system } = process.cpuUsage(before);
  if (doubleLeaders > 0) throw new Error(`seed ${seed} broke exclusion: ${first}`);
  return simulatedMs / 1000 / ((user + system) / 1e6);
}
