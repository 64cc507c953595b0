// The simulate command: runs a protocol for hours of virtual time, under drift, loss, pauses,
// restarts and the other faults of each simulated world. Prints a line for each world (not with
// `--json`), and a summary as JSON. The exit code is 0 if no rule was broken, 1 if one was, and 2
// for invalid arguments.

import { isSound, type Outcome } from '../kernel/protocol.ts';
import { closing, lineOf, opening, speedLine } from './lines.ts';
import { requestFrom, type Settings, usage } from './settings.ts';
import { summaryOf } from './summary.ts';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const request = requestFrom(args);
  if (typeof request === 'string') {
    console.error(`${request}\n${usage}`);
    return 2;
  }
  if (request.kind === 'run') return run(request.settings);
  console.log(
    request.kind === 'help' ? usage : request.protocol.mutants.map(({ name }) => name).join('\n'),
  );
  return 0;
}

async function run(settings: Settings): Promise<number> {
  const print = (text: string): void => {
    if (!settings.json) console.log(text);
  };
  print(opening(settings));
  const cpuBefore = process.cpuUsage();
  const outcomes: Outcome[] = [];
  const cpuSeconds: number[] = [];
  let used = 0;
  const { seed, hours, mutant, scenario, size } = settings;
  const options = { seed, ms: hours * 3_600_000, size, mutant: mutant?.name, scenario };
  for await (const outcome of settings.protocol.runAll(options)) {
    outcomes.push(outcome);
    const before = used;
    used = secondsSince(cpuBefore);
    cpuSeconds.push(used - before);
    print(lineOf(outcome));
  }
  const summary = summaryOf(settings, outcomes, secondsSince(cpuBefore));
  const last = outcomes.at(-1);
  print(speedLine(outcomes, cpuSeconds));
  if (last) print(closing(settings, last, summary));
  console.log(JSON.stringify(summary));
  return outcomes.every(isSound) ? 0 : 1;
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
