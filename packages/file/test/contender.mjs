// One process of the race in compare-and-set.process.test.ts. It replaces a row as fast as it can, and
// prints the changes that were made. Uses the built package.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { monotonicClock } from '@leadership/core/adapter';
import { fileRows } from '../dist/rows/rows.js';

const [directory, member, heights] = process.argv.slice(2);
const trouble = () => ({ [Symbol.dispose]: () => undefined });
const host = {
  member,
  incarnation: randomUUID(),
  clock: monotonicClock,
  ignored: (what) => process.stdout.write(`${JSON.stringify({ kind: what })}\n`),
  trouble,
  warning: trouble,
};
// So short that versions are removed while this process is stopped.
const limits = { thresholdMs: 60, thresholdMsMax: 60 };
const rows = fileRows({ directory, group: 'race', ...limits }, host);
const { signal } = new AbortController();
const name = 'session#race';
let position;
let text = null;

const heightOf = (record) => (record === null ? -1 : Number(record.split('/')[2]));

async function exchange(changes) {
  const answer = await rows.exchange({ changes, since: position }, signal);
  if (answer.isRestarted && position !== undefined)
    process.stdout.write(`${JSON.stringify({ kind: 'restarted' })}\n`);
  position = answer.position;
  for (const [row, read] of answer.rows) if (row === name) text = read;
  return answer.outcomes;
}

await rows.open(signal, true);
await exchange([]);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
for (let sequence = 1; heightOf(text) < Number(heights); sequence += 1) {
  const before = text;
  const height = heightOf(before) + 1;
  const id = `${member}/${sequence}/${height}`;
  // An unknown outcome is read.
  const [isMade = false] = await exchange([{ name, expected: before, text: id }]).catch(() => []);
  if (isMade) {
    process.stdout.write(`${JSON.stringify({ kind: 'in-effect', height, id, after: before })}\n`);
    text = id;
  } else await exchange([]);
}
await rows.close();
