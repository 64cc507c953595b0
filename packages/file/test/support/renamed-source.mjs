// Run in a mount namespace by renamed-source.process.test.ts. One member leads through a bind
// mount, whose source is then renamed and recreated, and another member starts there. Prints what
// was observed. Uses the built package.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileLeadership } from '../../lib/index.js';

const [home] = process.argv.slice(2);
const thresholdMs = 1000;
const [source, mount, away] = ['source', 'mount', 'away'].map((name) => `${home}/${name}`);
const open = (directory) =>
  fileLeadership({ directory, group: 'g', thresholdMs, partitions: 1, log: false });
const leads = (member) => member.role(0).isLeading();
const until = async (condition) => {
  for (let tries = 0; tries < 3000; tries += 1) {
    if (condition()) return true;
    await pause(10);
  }
  return false;
};

for (const directory of [source, mount]) mkdirSync(directory);
execFileSync('mount', ['--bind', source, mount]);
const inside = open(mount);
const seen = { led: await until(() => leads(inside)), both: 0 };
renameSync(source, away);
mkdirSync(source);
const outside = open(source);
const timer = setInterval(() => {
  if (leads(inside) && leads(outside)) seen.both += 1;
}, 1);
seen.taken = await until(() => leads(outside));
await pause(3 * thresholdMs);
seen.insideLeads = leads(inside);
seen.troubles = inside.health().troubles.map(({ message }) => message);
await outside.close();
rmSync(source, { recursive: true });
renameSync(away, source);
seen.again = await until(() => leads(inside));
seen.ok = await until(() => inside.health().ok);
clearInterval(timer);
await inside.close();
execFileSync('umount', [mount]);
process.stdout.write(JSON.stringify(seen));
