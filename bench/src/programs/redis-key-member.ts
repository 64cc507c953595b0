// A child process of the Redis benchmarks: a loop over a key that expires after T, as teams write
// it. It tries to take the key every T/4, and extends it every T/4 while it leads. It has no token,
// and the key ends by the server's clock.
import { setTimeout as pause } from 'node:timers/promises';
import { inputOf, nowNs, report } from '@leadership/tools/processes';
import { Redis } from 'ioredis';
import type { ElectionMessage } from '../process/member-messages.ts';
import type { RedisMemberInput } from '../redis/store.ts';

const { port, member, thresholdMs } = inputOf<RedisMemberInput>();
/** Members with polls of T/4 are compared. In T. */
const pollThresholds = 1 / 4;
/** How long a member that has resigned does not try again, as in our protocol (L9). In T. */
const abstentionThresholds = 2;
const key = 'key-lock';
const extend = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0`;
const release = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0`;
const client = new Redis({ port });
let leads = false;
let abstainsUntil = 0;

async function resign(): Promise<void> {
  await report<ElectionMessage>({ kind: 'resigning', atNs: nowNs() });
  abstainsUntil = performance.now() + abstentionThresholds * thresholdMs;
  leads = false;
  await client.eval(release, 1, key, member);
  await report<ElectionMessage>({ kind: 'waiting', partition: 0, atNs: nowNs() });
}

process.on('message', () => void resign());
process.on('disconnect', () => process.exit());
await client.ping();
await report<ElectionMessage>({ kind: 'ready' });
for (;;) {
  if (leads) leads = (await client.eval(extend, 1, key, member, thresholdMs)) === 1;
  else if (performance.now() >= abstainsUntil) {
    leads = (await client.set(key, member, 'PX', thresholdMs, 'NX')) === 'OK';
    if (leads) await report<ElectionMessage>({ kind: 'leading', partition: 0, atNs: nowNs() });
  }
  await pause(pollThresholds * thresholdMs);
}
