// A job that runs once per night across all processes, also if the leader changes that night.
import { openLeadership } from '@leadership/core';
import { schedule } from '@leadership/scheduler';

// On SIGTERM and SIGINT it waits for a running job.
const source = await openLeadership('file:./leadership?group=reports', { signals: true });

const report = schedule(
  source.role('nightly-report'),
  '0 2 * * *',
  ({ at, isLate }) => console.log(`report of ${at.toISOString()}${isLate ? ', late' : ''}`),
  {
    name: 'nightly-report',
    timezone: 'Europe/Zurich',
    missed: 'latest', // no member ran at two o'clock: run once, later
  },
);
report.outcomes$.subscribe(({ kind, at }) => console.log(kind, at.toISOString()));
await report.done;
