// The command `npm run bench`: parses its arguments, runs the named benchmarks, and writes their
// results.
import type { Benchmark } from './benchmarks.ts';
import type { Command } from './command-line.ts';
import type { Report } from './report/figures.ts';
import { table } from './report/table.ts';

/** Where to write: `out` receives results, `say` receives progress and errors. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly say: (text: string) => void;
}

/**
 * Executes a command. Resolves with the exit code: 1 if a benchmark failed, 2 if the command line
 * is invalid.
 */
export async function bench(command: Command, { out, say }: Terminal): Promise<number> {
  const list = command.benchmarks.map(describe).join('\n');
  if (command.kind === 'list') out(list);
  if (command.kind === 'usage')
    say(
      `${command.complaint}\n\nusage: npm run bench -- NAME [--json] | all [--json] | --list\n\n${list}`,
    );
  return command.kind === 'run'
    ? await runAll(command.benchmarks, command.json, { out, say })
    : Number(command.kind === 'usage') * 2;
}

async function runAll(
  benchmarks: readonly Benchmark[],
  json: boolean,
  { out, say }: Terminal,
): Promise<number> {
  const outcomes: Outcome[] = [];
  for (const benchmark of benchmarks) outcomes.push(await outcomeOf(benchmark, say));
  const reports = outcomes.filter((outcome) => typeof outcome !== 'string');
  if (reports.length > 0) out(table(reports));
  if (json)
    for (const { figures, peers = [], rows } of reports)
      out(
        JSON.stringify({ ...figures, ...(peers.length > 0 && { peers }), ...(rows && { rows }) }),
      );
  return Number(outcomes.includes('failed'));
}

/** The result of a benchmark. */
type Outcome = Report | 'skipped' | 'failed';

async function outcomeOf(
  { name, isOffered, run }: Benchmark,
  say: Terminal['say'],
): Promise<Outcome> {
  try {
    if ((await isOffered?.()) === false) return 'skipped';
    say(`measuring ${name} …`);
    return await run();
  } catch (error) {
    say(`${name} could not be measured: ${error instanceof Error ? error.stack : String(error)}`);
    return 'failed';
  }
}

function describe({ name, promise }: Benchmark): string {
  return `${name.padEnd(22)}  ${promise}`;
}
