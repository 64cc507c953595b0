// The simulate command: runs a protocol for hours of virtual time, under drift, loss, pauses,
// restarts and the other faults of its world.

import { isSound, type Outcome } from '../kernel/protocol.ts';
import { closing, lineOf, opening } from './lines.ts';
import { requestFrom, type Settings, usage } from './settings.ts';
import { summaryOf } from './summary.ts';

process.exitCode = main(process.argv.slice(2));

function main(args: readonly string[]): number {
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

function run(settings: Settings): number {
  const say = (text: string): void => {
    if (!settings.json) console.log(text);
  };
  say(opening(settings));
  const begun = process.cpuUsage();
  const outcomes: Outcome[] = [];
  const { seed, hours, mutant, scenario, size } = settings;
  const options = { seed, ms: hours * 3_600_000, size, mutant: mutant?.name, scenario };
  for (const outcome of settings.protocol.runAll(options)) {
    outcomes.push(outcome);
    say(lineOf(outcome));
  }
  const { user, system } = process.cpuUsage(begun);
  const summary = summaryOf(settings, outcomes, (user + system) / 1e6);
  const last = outcomes.at(-1);
  if (last) say(closing(settings, last, summary));
  console.log(JSON.stringify(summary));
  return outcomes.every(isSound) ? 0 : 1;
}
