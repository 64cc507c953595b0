// `npm run bench -- NAME [--json]`: measures, prints a table, and with --json a line of figures per benchmark below it.

import { bench } from './bench.ts';
import { benchmarks } from './benchmarks.ts';
import { parseCommandLine } from './command-line.ts';

const command = parseCommandLine(process.argv.slice(2), benchmarks);
process.exitCode = await bench(command, {
  out: (text) => process.stdout.write(`${text}\n`),
  say: (text) => process.stderr.write(`${text}\n`),
});
