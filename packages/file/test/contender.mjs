// One process of the race in compare-and-set.process.test.ts. It writes records as fast as it can,
// and prints those that took effect. Uses the built package.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { monotonicClock } from '@leadership/core/adapter';
import { fileLedger } from '../dist/ledger.js';
import { storeAt } from '../dist/store.js';

const [directory, member, heights] = process.argv.slice(2);
const group = 'race';
const incarnation = randomUUID();
const trouble = () => ({ [Symbol.dispose]: () => undefined });
const host = {
  member,
  incarnation,
  clock: monotonicClock,
  random: Math.random,
  confirmed: () => undefined,
  trouble,
};
const thresholdMs = 1000;
const ledger = fileLedger(storeAt({ directory, group, pollMs: 20, thresholdMs }, host), {
  group,
  thresholdMsMax: thresholdMs,
  campaign: true,
});
const stop = new AbortController();
let current;
let opened = false;
let wake = () => undefined;

async function follow() {
  for await (const event of ledger.events([0], stop.signal)) {
    if (event.kind === 'record' && event.record.height > (current?.height ?? -1))
      current = event.record;
    if (event.kind === 'restarted' || event.kind === 'ignored')
      process.stdout.write(`${JSON.stringify(event)}\n`);
    if (event.kind === 'end') opened = true;
    wake();
  }
}

async function write(sequence) {
  const place = {
    group,
    partition: 0,
    after: current?.id ?? null,
    height: (current?.height ?? -1) + 1,
  };
  const record = {
    ...place,
    id: `${member}/${incarnation}/${sequence}`,
    member,
    incarnation,
    kind: 'hold',
    token: 1n,
    thresholdMs,
  };
  if ((await ledger.write(record, stop.signal)) !== 'in-effect') return false;
  if (record.height > (current?.height ?? -1)) current = record;
  process.stdout.write(
    `${JSON.stringify({ kind: 'in-effect', height: record.height, id: record.id, after: record.after })}\n`,
  );
  return true;
}

const followed = follow();
while (!opened) await new Promise((resolve) => (wake = resolve));
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
for (let sequence = 1; (current?.height ?? -1) < Number(heights); ) {
  const before = current;
  if (await write(sequence++)) continue;
  if (current === before) await new Promise((resolve) => (wake = resolve));
}
stop.abort();
await ledger.close();
await followed;
