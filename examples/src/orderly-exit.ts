// Hands over within the grace period that SIGTERM leaves: 30 seconds from Kubernetes, 10 from Docker.
import { setTimeout as pause } from 'node:timers/promises';
import { openLeadership } from '@leadership/core';

const graceMs = Number(process.env['GRACE_MS'] ?? 10_000);

// Work that has not ended after nine tenths of it is fenced, and the successor waits no longer.
await using source = await openLeadership(process.env['LEADERSHIP_URL'] ?? 'file:./leadership?group=exports', {
  drainTimeoutMs: 0.9 * graceMs,
});
process.once('SIGTERM', () => source.close({ signal: AbortSignal.timeout(graceMs) }));

await source.role('export').lead(async (term) => {
  for (let page = 1; !term.signal.aborted; page += 1) {
    console.log(`page ${page} begins`);
    await pause(200); // One step of the work: it is not cut short, the successor waits for it.
    console.log(`page ${page} done`);
  }
});
console.log('handed over');
