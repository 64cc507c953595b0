// A member that runs a schedule each second and appends the time of each tick to a file. Its ticks
// are in the group, or in a directory. Uses the built packages.
import { appendFileSync } from 'node:fs';
import { openLeadership } from '@leadership/core';
import { fileTicks, rowTicks, schedule } from '@leadership/scheduler';

const { url, ticks, log, member } = JSON.parse(process.argv[2]);
const source = await openLeadership(url, { member, partitions: 1, thresholdMs: 1500 });
const job = ({ at }) => appendFileSync(log, `${at.getTime()}\n`);
const running = schedule(source.role('reports'), '* * * * * *', job, {
  name: 'reports',
  store: ticks === undefined ? rowTicks(source) : fileTicks(ticks),
  missed: 'all',
});
process.once('SIGTERM', async () => {
  await running.close();
  await source.close();
});
await running.done;
