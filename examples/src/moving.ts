// Moves a running group from one backend to another without a pause, and never with two leaders.
// Deploy it four times, each time to all processes, with these values of LEADERSHIP_URLS. Before
// the next deployment, wait until the previous one is complete and every partition has a leader.
//   1. file:./old?group=reports
//   2. file:./old?group=reports file:./new?group=reports
//   3. file:./new?group=reports file:./old?group=reports
//   4. file:./new?group=reports
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { allOf, openLeadership } from '@leadership/core';

const urls = (process.env['LEADERSHIP_URLS'] ?? 'file:./leadership?group=reports').split(' ');
const member = `${hostname()}-${process.pid}`; // The member has the same name in both groups.

await using source = allOf(
  ...(await Promise.all(urls.map((url) => openLeadership(url, { member })))),
);
process.once('SIGTERM', () => source.close());

await source.role('report').lead(async (term) => {
  while (!term.signal.aborted) {
    console.log(`report of term ${term.token}`);
    await pause(200);
  }
});
