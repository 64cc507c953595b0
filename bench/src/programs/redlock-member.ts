// A child process of the Redis benchmarks: a loop over a lock of the package `redlock` on one
// server, as teams write it. It tries to take the lock every T/4, and extends it every T/4 while it
// leads. It has no token, and the lock ends by the server's clock.
import { setTimeout as pause } from 'node:timers/promises';
import { inputOf, nowNs, report } from '@leadership/tools/processes';
import { Redis } from 'ioredis';
// @ts-expect-error: its exports name no types.
import redlock from 'redlock';
import type { ElectionMessage } from '../process/member-messages.ts';
import type { RedisMemberInput } from '../redis/store.ts';

/** The part of a lock that is used. */
interface Lock {
  extend(ms: number): Promise<Lock>;
  release(): Promise<unknown>;
}

type RedlockClass = new (
  clients: readonly Redis[],
  settings: object,
) => { acquire(keys: readonly string[], ms: number): Promise<Lock> };

const { port, thresholdMs } = inputOf<RedisMemberInput>();
/** Members with polls of T/4 are compared. In T. */
const pollThresholds = 1 / 4;
/** How long a member that has resigned does not try again, as in our protocol (L9). In T. */
const abstentionThresholds = 2;
const client = new Redis({ port });
const locks = new (redlock as RedlockClass)([client], { retryCount: 0 });
let lock: Lock | undefined;
let abstainsUntil = 0;

async function resign(): Promise<void> {
  await report<ElectionMessage>({ kind: 'resigning', atNs: nowNs() });
  abstainsUntil = performance.now() + abstentionThresholds * thresholdMs;
  const held = lock;
  lock = undefined;
  await held?.release();
  await report<ElectionMessage>({ kind: 'waiting', partition: 0, atNs: nowNs() });
}

/** Returns the lock, or `undefined` if it is not free any more. */
function orNone(taking: Promise<Lock>): Promise<Lock | undefined> {
  return taking.catch(() => undefined);
}

process.on('message', () => void resign());
process.on('disconnect', () => process.exit());
await client.ping();
await report<ElectionMessage>({ kind: 'ready' });
for (;;) {
  if (lock !== undefined) lock = await orNone(lock.extend(thresholdMs));
  else if (performance.now() >= abstainsUntil) {
    lock = await orNone(locks.acquire(['redlock'], thresholdMs));
    if (lock !== undefined)
      await report<ElectionMessage>({ kind: 'leading', partition: 0, atNs: nowNs() });
  }
  await pause(pollThresholds * thresholdMs);
}
