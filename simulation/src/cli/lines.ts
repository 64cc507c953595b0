// The lines that the command `npm run simulate` prints for people.
import type { Outcome } from '../kernel/protocol.ts';
import type { Settings } from './settings.ts';
import type { Summary } from './summary.ts';

/** Returns the description of the run to be simulated. */
export function opening({ protocol, seed, hours, mutant, size }: Settings): string {
  const { nodes, partitions, thresholdMs } = size;
  const world = `${hours} h · ${nodes} nodes · ${partitions} partitions · T = ${thresholdMs} ms · seed ${seed}`;
  const run = `${protocol.name}, ${world}`;
  return mutant ? `${run}\nmutant ${mutant.name} (${mutant.rule}): ${mutant.does}` : run;
}

/** Returns the outcome of one world as one line. */
export function lineOf(outcome: Outcome): string {
  const {
    scenario,
    seed,
    simulatedMs,
    broken,
    leaderlessShare,
    needlessMoves,
    renewalGaps,
    knownDoubleLeaders,
  } = outcome;
  const seen = Object.entries(broken).map(([rule, times]) => `${rule} ${times} times`);
  const counters = `leaderless ${(100 * leaderlessShare).toFixed(2)} % · needless moves ${needlessMoves} · renewal gaps ${renewalGaps}`;
  const known = knownDoubleLeaders ? ` · known double leaders ${knownDoubleLeaders}` : '';
  const minutes = `${(simulatedMs / 60_000).toFixed(1)} min`.padStart(9);
  return `${scenario.padEnd(20)}${minutes} · ${counters}${known} · ${seen.length === 0 ? 'sound' : `BROKEN ${seen.join(', ')}`} · world ${seed}`;
}

/** Returns the simulated seconds per CPU second of the worlds of each scenario, as one line. */
export function speedLine(outcomes: readonly Outcome[], cpuSeconds: readonly number[]): string {
  const totals = new Map<string, { simulated: number; cpu: number }>();
  outcomes.forEach(({ scenario, simulatedMs }, index) => {
    const total = totals.get(scenario) ?? { simulated: 0, cpu: 0 };
    total.simulated += simulatedMs / 1000;
    total.cpu += cpuSeconds[index] ?? 0;
    totals.set(scenario, total);
  });
  const speeds = [...totals].map(
    ([scenario, { simulated, cpu }]) => `${scenario} ${Math.round(simulated / cpu)}`,
  );
  return `simulated seconds in a second of CPU: ${speeds.join(' · ')}`;
}

/** Returns the result of the run, and the command that reproduces a violation. */
export function closing(
  { protocol, seed, hours, mutant, scenario }: Settings,
  { first }: Outcome,
  summary: Summary,
): string {
  const { hours: ran, cpuSeconds, simulatedPerCpuSecond, checkedSteps } = summary;
  const checked = checkedSteps === undefined ? '' : ` · ${checkedSteps} steps checked`;
  const speed = `${ran} h in ${cpuSeconds} s of CPU: ${simulatedPerCpuSecond} simulated seconds in one${checked}`;
  if (first === undefined) return `no violation · ${speed}`;
  const only = `${mutant ? ` --mutant ${mutant.name}` : ''}${scenario ? ` --scenario ${scenario}` : ''}`;
  const again = `npm run simulate -- --protocol ${protocol.name} --hours ${hours} --seed ${seed}${only}`;
  return `violation: ${first}\nseed ${seed} shows it again: ${again}\n${speed}`;
}
