// A child process of file-renewal: a member that leads all its partitions. It measures its renewals
// while libuv's thread pool is idle, blocked or busy.
import { execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { closeSync, constants, open, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inputOf, report } from '@leadership/tools/processes';
import { idlePartitions } from '../cost/idle.ts';
import { idleSource } from '../cost/idle-source.ts';
import { meterRenewals } from '../cost/meter.ts';
import type {
  PoolCondition,
  RenewalCommand,
  RenewalInput,
  RenewalMessage,
} from '../cost/renewal.ts';

/** The default size of libuv's thread pool. */
const poolThreads = 4;
/** The number of concurrent password hashes. */
const hashes = 24;
/** The iterations per hash, which take some tens of milliseconds of one core. */
const hashIterations = 60_000;

const input = inputOf<RenewalInput>();
const pipes = Array.from({ length: poolThreads }, (_, index) => `${input.directory}.pipe.${index}`);
const hash = promisify(pbkdf2);
const renewalsSince = meterRenewals();
process.on('disconnect', () => process.exit());
execFileSync('mkfifo', pipes);
const source = await idleSource(input);
let lost = 0;
for (let partition = 0; partition < idlePartitions; partition += 1)
  source.role(partition).leadership$.subscribe(({ state }) => {
    if (state === 'fenced') lost += 1;
  });
process.on('message', (command) => void measure(command as RenewalCommand));
await report<RenewalMessage>({ kind: 'prepared' });

async function measure({ condition, windowMs }: RenewalCommand): Promise<void> {
  const end = conditions[condition]();
  renewalsSince();
  lost = 0;
  const before = performance.eventLoopUtilization();
  await pause(windowMs);
  const { active } = performance.eventLoopUtilization(before);
  const measured = { renewalsMs: renewalsSince(), loopMs: active, lost };
  await end();
  await report<RenewalMessage>({ kind: 'measured', ...measured });
}

type End = () => Promise<void>;

const conditions: Readonly<Record<PoolCondition, () => End>> = {
  idle: () => async () => undefined,
  blocked: block,
  hashing: hashPasswords,
};

/**
 * Blocks the threads of the pool: opening a pipe for reading blocks one thread until a writer opens
 * it.
 */
function block(): End {
  for (const pipe of pipes) open(pipe, constants.O_RDONLY, (_error, file) => closeSync(file));
  return async () => {
    for (const pipe of pipes) closeSync(openSync(pipe, constants.O_RDWR));
  };
}

function hashPasswords(): End {
  let isOver = false;
  const one = async (): Promise<void> => {
    while (!isOver) await hash('password', 'salt', hashIterations, 64, 'sha512');
  };
  const all = Array.from({ length: hashes }, one);
  return async () => {
    isOver = true;
    await Promise.all(all);
  };
}
