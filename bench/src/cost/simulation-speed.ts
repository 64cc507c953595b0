// Measures the speed of the simulation, in simulated seconds per second of CPU time. The scenario
// is that of the simulate command: three nodes, four partitions, T = 1 s, faults of processes and
// network, and all invariants checked at every event. Each run uses another seed. Warm-up runs of
// about two seconds of CPU time precede them. CPU time is measured instead of real time, so that
// waiting for a core does not count. The child process has a young generation as large as that of
// the simulate command.

import { type Message, startChild } from '@leadership/tools/processes';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import type { SimulationSpeedOptions } from './simulated-speeds.ts';

/** The target, in simulated seconds per CPU second. */
const speed = 20_000;

/** The message of the child process. */
export interface Simulated extends Message {
  readonly kind: 'simulated';
  readonly speeds: readonly number[];
}

/** Runs the simulations and resolves with the speed of each. */
type Simulating = (options: SimulationSpeedOptions) => Promise<readonly number[]>;

/** Runs the benchmark. */
export async function simulationSpeed(
  options: SimulationSpeedOptions,
  speedsOf: Simulating = inChild,
): Promise<Report> {
  const { runs, simulatedMs } = options;
  const speeds = await speedsOf(options);
  const p50 = median(speeds);
  const figures = {
    name: 'simulation-speed',
    unit: 's/CPU s',
    runs,
    p50,
    p99: quantile(speeds, 0.01),
    baseline: speed,
  } as const;
  const notes = [`${simulatedMs / 1000} simulated seconds a run, of the scenario "rainy"`];
  return {
    figures: { ...figures, ratio: p50 / speed, limit: 1, better: 'higher' },
    against: 'the target',
    notes,
  };
}

async function inChild(options: SimulationSpeedOptions): Promise<readonly number[]> {
  const program = new URL('../programs/simulation.js', import.meta.url);
  const execArgv = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
  await using child = startChild<Simulated>(program, { input: options, execArgv });
  return (await child.next('simulated')).speeds;
}
