// `node bench/dist/counts/main.js [--write]`: counts what the operations of every member cost, and
// compares the costs with those in `bench/counts.json`. With --write it replaces that file. Times
// depend on the machine, so no time can guard the costs on every change; these counts can.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Counts, differences } from './compare.ts';
import { type Cost, v8Flags } from './count.ts';

const program = fileURLToPath(new URL('../programs/counts.js', import.meta.url));
const file = fileURLToPath(new URL('../../counts.json', import.meta.url));
const [node = ''] = process.versions.node.split('.');

const flags = [...v8Flags, '--conditions=@leadership/internal'];
const printed = execFileSync(process.execPath, [...flags, program], { encoding: 'utf8' });
const counted: Counts = { node, costs: JSON.parse(printed) as Record<string, Cost> };

if (process.argv.includes('--write')) {
  writeFileSync(file, `${JSON.stringify(counted, undefined, 2)}\n`);
} else {
  const committed = JSON.parse(readFileSync(file, 'utf8')) as Counts;
  const found = differences(committed, counted);
  for (const line of found) console.log(line);
  if (committed.node !== node)
    console.log(
      `bytes are not compared: they were counted on Node ${committed.node}, this is ${node}`,
    );
  if (found.length > 0) {
    console.log('If the change is worth these costs: node bench/dist/counts/main.js --write');
    process.exitCode = 1;
  }
}
