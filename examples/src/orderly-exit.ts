// Hands over within the grace period after SIGTERM: 30 seconds in Kubernetes, 10 seconds in Docker.
import { setTimeout as pause } from 'node:timers/promises';
import { openLeadership } from '@leadership/core';

const graceMs = Number(process.env['GRACE_MS'] ?? 10_000);

// If the work takes longer than 90 % of the grace period, the member is fenced and the successor no
// longer waits for it.
const source = await openLeadership(
  process.env['LEADERSHIP_URL'] ?? 'file:./leadership?group=exports',
  {
    drainTimeoutMs: 0.9 * graceMs,
  },
);
process.once('SIGTERM', () => source.close({ signal: AbortSignal.timeout(graceMs) }));

await source.role('export').lead(async (term) => {
  for (let page = 1; !term.signal.aborted; page += 1) {
    console.log(`page ${page} begins`);
    await pause(200); // One step of the work. It is not interrupted; the successor waits for it.
    console.log(`page ${page} done`);
  }
});
console.log('handed over');
