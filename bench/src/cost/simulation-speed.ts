// Measures the speed of the simulation, in simulated seconds per second of CPU time. The scenario
// is that of the simulate command: three nodes, four partitions, T = 1 s, faults of processes and
// network, all invariants checked at every event, and every step checked against the text of the
// rules. Each run uses another seed. Warm-up runs of about two seconds
// of CPU time precede them. CPU time is measured instead of real time, so that waiting for a core
// does not count. The process has a young generation as large as that of the simulate command.
import { named, rows, simulate } from '@leadership/simulation';
import { inOwnProcess } from '../measure/own-process.ts';
import { figuresOf, type Report } from '../report/figures.ts';

/** The target, in simulated seconds per CPU second. */
const speed = 1_500;
const warmUps = 30;

/** The number of runs, and their duration in simulated time. */
export interface SimulationSpeedOptions {
  readonly runs: number;
  readonly simulatedMs: number;
}

const inChild = inOwnProcess(import.meta.url, simulatedSpeeds, [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
]);

/** Runs the benchmark. */
export async function simulationSpeed(
  options: SimulationSpeedOptions,
  speedsOf: typeof simulatedSpeeds = inChild,
): Promise<Report> {
  const target = { name: 'simulation-speed', unit: 's/CPU s', baseline: speed, limit: 1 } as const;
  return {
    figures: figuresOf(await speedsOf(options), { ...target, by: 'p50', better: 'higher' }),
    against: 'the target',
    notes: [`${options.simulatedMs / 1000} simulated seconds a run, of the scenario "register"`],
  };
}

/** Runs simulations. Resolves with the speed of each, in simulated seconds per CPU second. */
export async function simulatedSpeeds({
  runs,
  simulatedMs,
}: SimulationSpeedOptions): Promise<readonly number[]> {
  const seeds = Array.from({ length: warmUps + runs }, (_, index) => index + 1);
  return seeds.map((seed) => speedOf(seed, simulatedMs)).slice(warmUps);
}

function speedOf(seed: number, simulatedMs: number): number {
  const before = process.cpuUsage();
  const { doubleLeaders, first } = simulate(rows, named(rows.scenarios, 'register'), seed, {
    ms: simulatedMs,
  });
  const { user, system } = process.cpuUsage(before);
  if (doubleLeaders > 0) throw new Error(`seed ${seed} had two leaders at once: ${first}`);
  return simulatedMs / 1000 / ((user + system) / 1e6);
}
