// Measures the cost of a renewal on the file backend, and whether it depends on libuv's thread
// pool, which the whole application shares. One member leads eight partitions. Each run contains
// three conditions in turn: the pool is idle, its four threads are blocked, or 24 passwords are
// hashed concurrently. The benchmark measures the duration of each renewal, from its first call to
// the last reply of the disk, and the active time of the event loop per renewal. The active time
// includes the member's polls of its files.
//
// The baseline is a renewal while the pool is idle. A blocked pool should make no difference except
// noise. Hashing also occupies the CPU cores, so that condition is reported as a remark only.
import { execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { closeSync, constants, open, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@leadership/testkit/internal';
import { inOwnProcess } from '../measure/own-process.ts';
import { median, quantile } from '../measure/statistics.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import { idlePartitions, idleSource } from './idle-source.ts';
import { meterRenewals } from './meter.ts';

/** The number of runs, T, and the duration of each condition. */
export interface FileRenewalOptions {
  readonly runs: number;
  readonly thresholdMs: number;
  /** The duration of a condition within a run, in milliseconds. */
  readonly windowMs: number;
}

/** The state of libuv's thread pool during a measurement. */
type Condition = 'idle' | 'blocked' | 'hashing';
const conditions: readonly Condition[] = ['idle', 'blocked', 'hashing'];

/** The default size of libuv's thread pool. */
const poolThreads = 4;
/** The number of concurrent password hashes. */
const hashes = 24;
/** The iterations per hash, which take some tens of milliseconds of one core. */
const hashIterations = 60_000;

interface Measured {
  /** The duration of each renewal in milliseconds, from its first call to the last reply. */
  readonly renewalsMs: readonly number[];
  /** The active time of the event loop, in milliseconds. */
  readonly loopMs: number;
  /** The number of leases that were lost. */
  readonly lost: number;
}

/** The measurements of each run. */
type Measurements = Readonly<Record<Condition, readonly Measured[]>>;

const measure = inOwnProcess(import.meta.url, measureRenewals);

/** Runs the benchmark. */
export async function fileRenewal(options: FileRenewalOptions): Promise<Report> {
  await using home = await temporaryDirectory();
  const measured = await measure({ ...options, directory: join(home.path, 'store') });
  const timesIn = (condition: Condition): readonly number[] => {
    const times = measured[condition].flatMap(({ renewalsMs }) => renewalsMs);
    if (times.length === 0) throw new Error('the meter has seen no renewal');
    return times;
  };
  const pairedRatio = median(
    measured.blocked.map(
      ({ renewalsMs }, run) => median(renewalsMs) / median(measured.idle[run]?.renewalsMs ?? []),
    ),
  );
  const times = { ours: timesIn('blocked'), baseline: timesIn('idle') };
  return {
    figures: costOf('file-renewal', 'ms', 1.5, times),
    against:
      'a renewal while the thread pool is idle; the benchmark measures renewals while its four threads are blocked',
    notes: [
      `median of the rounds' own ratios: ${pairedRatio.toFixed(3)}; T ${options.thresholdMs} ms, 8 partitions`,
      ...conditions.map((condition) => remark(condition, measured[condition])),
    ],
  };
}

function remark(condition: Condition, measured: readonly Measured[]): string {
  const times = measured.flatMap(({ renewalsMs }) => renewalsMs);
  const loopMs = measured.reduce((sum, one) => sum + one.loopMs, 0) / times.length;
  const lost = measured.reduce((sum, one) => sum + one.lost, 0);
  const [p50, p99] = [median(times), quantile(times, 0.99)];
  return `${condition}: ${times.length} renewals, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; event loop ${loopMs.toFixed(3)} ms per renewal; ${lost} leases lost`;
}

/** Measures the renewals of a member that leads all its partitions, in each condition in turn. */
async function measureRenewals({
  directory,
  runs,
  thresholdMs,
  windowMs,
}: FileRenewalOptions & { readonly directory: string }): Promise<Measurements> {
  const renewalsSince = meterRenewals();
  const pipes = Array.from({ length: poolThreads }, (_, index) => `${directory}.pipe.${index}`);
  execFileSync('mkfifo', pipes);
  const source = await idleSource({ directory, thresholdMs });
  let lost = 0;
  for (let partition = 0; partition < idlePartitions; partition += 1)
    source.role(partition).leadership$.subscribe(({ state }) => {
      if (state === 'fenced') lost += 1;
    });
  const begin: Readonly<Record<Condition, () => End>> = {
    idle: () => async () => undefined,
    blocked: () => block(pipes),
    hashing: hashPasswords,
  };
  const measured: Record<Condition, Measured[]> = { idle: [], blocked: [], hashing: [] };
  await pause(windowMs);
  for (let run = 0; run < runs; run += 1) {
    const turn = run % conditions.length;
    for (const condition of [...conditions.slice(turn), ...conditions.slice(0, turn)]) {
      const end = begin[condition]();
      renewalsSince();
      lost = 0;
      const before = performance.eventLoopUtilization();
      await pause(windowMs);
      const { active } = performance.eventLoopUtilization(before);
      measured[condition].push({ renewalsMs: renewalsSince(), loopMs: active, lost });
      await end();
    }
  }
  return measured;
}

type End = () => Promise<void>;

/**
 * Blocks the threads of the pool: opening a pipe for reading blocks one thread until a writer opens
 * it.
 */
function block(pipes: readonly string[]): End {
  for (const pipe of pipes) open(pipe, constants.O_RDONLY, (_error, file) => closeSync(file));
  return async () => {
    for (const pipe of pipes) closeSync(openSync(pipe, constants.O_RDWR));
  };
}

function hashPasswords(): End {
  const hash = promisify(pbkdf2);
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
