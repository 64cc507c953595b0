// How fast simulated time passes: seconds of the simulated world per second of CPU. The world is the one of the simulate
// command: three nodes, four partitions, T = 1 s, processes and network that misbehave, and every invariant asserted at
// every event. Each run is another seed, after as many as it takes the compiler to settle: some two seconds of CPU. The CPU
// time of the process counts, so that waiting for a core does not. It is a child that has as much room for what dies young
// as the simulate command.
import { median, quantile } from '../measure/statistics.ts';
import { startChild, type Told } from '../process/child.ts';
import type { Report } from '../report/figures.ts';
import type { SimulationSpeedOptions } from './simulated-speeds.ts';

/** What is to be reached. Simulated seconds per CPU second. */
const speed = 20_000;

/** What the child says. */
export interface Simulated extends Told {
  readonly kind: 'simulated';
  readonly speeds: readonly number[];
}

/** Who runs the worlds, and says how fast each was. */
type Simulating = (options: SimulationSpeedOptions) => Promise<readonly number[]>;

/** Runs it. */
export async function simulationSpeed(options: SimulationSpeedOptions, speedsOf: Simulating = inChild): Promise<Report> {
  const { runs, simulatedMs } = options;
  const speeds = await speedsOf(options);
  const p50 = median(speeds);
  const figures = { name: 'simulation-speed', unit: 's/CPU s', runs, p50, p99: quantile(speeds, 0.01), baseline: speed } as const;
  const notes = [`${simulatedMs / 1000} simulated seconds a run, of the scenario "rainy"`];
  return { figures: { ...figures, ratio: p50 / speed, limit: 1, better: 'higher' }, against: 'the number to reach', notes };
}

async function inChild(options: SimulationSpeedOptions): Promise<readonly number[]> {
  const program = new URL('../programs/simulation.js', import.meta.url);
  const execArgv = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
  await using child = startChild<Simulated>(program, { input: options, execArgv });
  return (await child.next('simulated')).speeds;
}
