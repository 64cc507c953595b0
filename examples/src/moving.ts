// Moves a running group from one backend to another, without a pause and never with two leaders. Deployed four times, each time to
// every process, and each time only once the last deployment is complete and all is led:
//   LEADERSHIP_URLS="file:./old?group=reports"
//   LEADERSHIP_URLS="file:./old?group=reports file:./new?group=reports"
//   LEADERSHIP_URLS="file:./new?group=reports file:./old?group=reports"
//   LEADERSHIP_URLS="file:./new?group=reports"
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { allOf, openLeadership } from '@leadership/core';

const urls = (process.env['LEADERSHIP_URLS'] ?? 'file:./leadership?group=reports').split(' ');
const member = `${hostname()}-${process.pid}`; // The same in each of its groups.

await using source = allOf(...(await Promise.all(urls.map((url) => openLeadership(url, { member })))));
process.once('SIGTERM', () => source.close());

await source.role('report').lead(async (term) => {
  while (!term.signal.aborted) {
    console.log(`report of term ${term.token}`);
    await pause(200);
  }
});
