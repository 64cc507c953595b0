// Moves a running group from one backend to another without a pause, and never with two leaders.
// These are the values of LEADERSHIP_URLS in the steps 0 to 3. Deploy each to all processes. Before
// the next step, wait until the previous one is complete and every partition has a leader.
//   0. file:./old?group=reports
//   1. file:./old?group=reports file:./new?group=reports
//   2. file:./new?group=reports file:./old?group=reports
//   3. file:./new?group=reports
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { allOf, openLeadership } from '@leadership/core';

const urls = (process.env['LEADERSHIP_URLS'] ?? 'file:./leadership?group=reports').split(' ');
const member = `${hostname()}-${process.pid}`; // The member has the same name in both groups.

const source = allOf(...(await Promise.all(urls.map((url) => openLeadership(url, { member })))));
process.once('SIGTERM', () => source.close());

await source.role('report').lead(async (term) => {
  while (!term.signal.aborted) {
    console.log(`report of term ${term.token}`);
    await pause(200);
  }
});
