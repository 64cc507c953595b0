// `npm run bench -- NAME [--json]`: runs benchmarks and prints a table. With --json, one line of
// JSON per benchmark follows.

import { bench } from './bench.ts';
import { benchmarks } from './benchmarks.ts';
import { parseCommandLine } from './command-line.ts';

const command = parseCommandLine(process.argv.slice(2), benchmarks);
process.exitCode = await bench(command, {
  out: (text) => process.stdout.write(`${text}\n`),
  say: (text) => process.stderr.write(`${text}\n`),
});
