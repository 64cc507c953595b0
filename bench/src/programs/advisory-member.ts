// A child process of the Postgres benchmarks: a loop over an advisory lock, as teams write it. It
// tries to take the lock every T/4, and leads as long as its connection lives. It has no lease and
// no token.
import { setTimeout as pause } from 'node:timers/promises';
import { inputOf, nowNs, report } from '@leadership/tools/processes';
import pg from 'pg';
import type { MemberInput } from '../postgres/store.ts';
import type { ElectionMessage } from '../process/member-messages.ts';

const { server, thresholdMs } = inputOf<MemberInput>();
/** Members with polls of T/4 are compared. In T. */
const pollThresholds = 1 / 4;
/** How long a member that has resigned does not try again, as in our protocol (L9). In T. */
const abstentionThresholds = 2;
const lock = 4711;
const client = new pg.Client(server);
let leads = false;
let abstainsUntil = 0;

async function resign(): Promise<void> {
  await report<ElectionMessage>({ kind: 'resigning', atNs: nowNs() });
  abstainsUntil = performance.now() + abstentionThresholds * thresholdMs;
  leads = false;
  await client.query('select pg_advisory_unlock($1)', [lock]);
  await report<ElectionMessage>({ kind: 'waiting', partition: 0, atNs: nowNs() });
}

process.on('message', () => void resign());
process.on('disconnect', () => process.exit());
await client.connect();
await report<ElectionMessage>({ kind: 'ready' });
for (;;) {
  if (!leads && performance.now() >= abstainsUntil) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as is_taken', [lock]);
    leads = rows[0].is_taken === true;
    if (leads) await report<ElectionMessage>({ kind: 'leading', partition: 0, atNs: nowNs() });
  }
  await pause(pollThresholds * thresholdMs);
}
