// Loops over a lock, as teams write them, in processes of their own: a member tries to take the lock
// every T/4, and extends it every T/4 while it leads. They have no token, and what expires does so
// by the server's clock.
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SpawnedMember, spawnProgram } from '@leadership/testkit/faults';
import type { MemberOptions } from '../backends/backend.ts';

/** A lock on a server. */
interface Lock {
  /** Resolves with whether this member has the lock now. */
  take(): Promise<boolean>;
  /** Resolves with whether this member still has the lock. */
  extend(): Promise<boolean>;
  release(): Promise<unknown>;
}

/** The input of a member process. `server`: how its client reaches the server. */
interface LoopInput extends MemberOptions {
  readonly server: object;
}

/** Members with polls of T/4 are compared. In T. */
const pollThresholds = 1 / 4;
/** How long a member that has resigned does not try again, as in our protocol (L9). In T. */
const abstentionThresholds = 2;

type Kind = 'advisory-lock' | 'get-lock' | 'redis-key' | 'redlock';

const programs: Readonly<Record<Kind, URL>> = {
  'advisory-lock': new URL('../programs/advisory-lock.js', import.meta.url),
  'get-lock': new URL('../programs/get-lock.js', import.meta.url),
  'redis-key': new URL('../programs/redis-key.js', import.meta.url),
  redlock: new URL('../programs/redlock.js', import.meta.url),
};

/** Starts a member that loops over this kind of lock. Resolves once it is connected. */
export function startLoop(
  kind: Kind,
  server: object,
  options: MemberOptions,
): Promise<SpawnedMember> {
  const program = fileURLToPath(programs[kind]);
  return spawnProgram([process.execPath, program, JSON.stringify({ ...options, server })]);
}

/** In a member process: opens the lock, and tries to hold it until the process ends. */
export async function loop<Server>(
  open: (server: Server, options: MemberOptions) => Promise<Lock>,
): Promise<void> {
  const { server, ...options } = JSON.parse(process.argv[2] ?? '') as LoopInput;
  const { member, thresholdMs } = options;
  const log = (kind: string): void => {
    const event = { atNs: String(process.hrtime.bigint()), member, kind, partition: 0 };
    process.stdout.write(`${JSON.stringify(event)}\n`);
  };
  let leads = false;
  let abstainsUntil = 0;
  const lock = await open(server as Server, options);
  createInterface({ input: process.stdin })
    // The only command is to resign.
    .on('line', async () => {
      log('resigning');
      abstainsUntil = performance.now() + abstentionThresholds * thresholdMs;
      leads = false;
      await lock.release();
      log('released');
    })
    .on('close', () => process.exit());
  log('ready');
  for (;;) {
    if (leads) leads = await lock.extend();
    else if (performance.now() >= abstainsUntil) {
      leads = await lock.take();
      if (leads) log('acquired');
    }
    await pause(pollThresholds * thresholdMs);
  }
}
