// Measures the cost of an idle member on the file backend. The member leads all eight partitions of
// its group, and only renews, polls and watches. The baseline is a bare loop that makes the same
// calls to `node:fs/promises` at the same times.
//
// First, the benchmark traces a member: every call with its arguments and its time. Then it runs
// pairs of processes: a member, and a loop that replays the trace on a copy of the traced member's
// directory. It reads the CPU time of all threads of each process. Both run at the same time, so
// that noise affects both equally. A warm-up excludes compilation.
import { cpSync, existsSync, watch, writeFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '@leadership/testkit/internal';
import { cpuMsPerSecond, ownCpuMs } from '../measure/cpu.ts';
import { inOwnProcess } from '../measure/own-process.ts';
import { median } from '../measure/statistics.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import { idleSource } from './idle-source.ts';
import { replay } from './replay.ts';
import { type Call, traceFiles } from './trace.ts';

/** T, and the durations. */
interface Times {
  readonly thresholdMs: number;
  /** The warm-up, in milliseconds. Excludes compilation. */
  readonly warmMs: number;
  readonly windowMs: number;
}

/** The number of runs, T, and the durations. */
export interface IdleCostOptions extends Times {
  readonly runs: number;
}

/** The directory of a member, the trace of its calls, and a copy of the directory before them. */
interface Place extends Times {
  readonly directory: string;
  readonly copy: string;
  readonly traceFile: string;
  /** A file that the member creates when its window may begin, and with it that of the loop. */
  readonly begun: string;
}

/** The file-system calls of a traced member. */
interface Traced {
  readonly calls: readonly Call[];
  readonly watched: readonly string[];
}

const trace = inOwnProcess(import.meta.url, traceMember);
const member = inOwnProcess(import.meta.url, measureMember);
const loop = inOwnProcess(import.meta.url, measureLoop);

/** Runs the benchmark. */
export async function idleCost({ runs, ...times }: IdleCostOptions): Promise<Report> {
  await using home = await temporaryDirectory();
  const placeOf = (name: string): Place => ({
    ...times,
    directory: join(home.path, name),
    copy: join(home.path, 'copy'),
    traceFile: join(home.path, 'trace.json'),
    begun: join(home.path, `${name}.begun`),
  });
  const traced = await trace(placeOf('traced'));
  const [ours, baseline]: [number[], number[]] = [[], []];
  let failed = 0;
  for (let run = 0; run < runs; run += 1) {
    const place = placeOf(`member-${run}`);
    const copied = { ...place, directory: join(home.path, `loop-${run}`) };
    await cp(place.copy, copied.directory, { recursive: true });
    const [own, bare] = await Promise.all([member(place), loop(copied)]);
    ours.push(own.cpu);
    baseline.push(bare.cpu);
    failed += bare.failed / runs;
  }
  const seconds = (times.warmMs + times.windowMs) / 1000;
  const pairedRatio = median(ours.map((cpu, run) => cpu / (baseline[run] ?? Number.NaN)));
  return {
    figures: costOf('idle-cost', 'ms CPU/s', 1.2, { ours, baseline }),
    against: 'a bare loop of the same file operations at the same times',
    notes: [
      `median of the pairs' own ratios: ${pairedRatio.toFixed(3)}; T ${times.thresholdMs} ms, 8 partitions`,
      `${(traced.calls / seconds).toFixed(0)} calls a second; in the loop, ${failed.toFixed(0)} of ${traced.calls} calls per run failed`,
    ],
  };
}

/** Runs an idle member, and saves its calls and a copy of its directory from before the first one. */
async function traceMember(place: Place): Promise<{ readonly calls: number }> {
  const { directory, copy, traceFile, thresholdMs, warmMs, windowMs } = place;
  const { calls, watched, begin } = traceFiles();
  await idleSource(place);
  // Wait until the member has joined and has as many record versions as it keeps.
  await pause(5 * thresholdMs);
  begin();
  cpSync(directory, copy, { recursive: true });
  await pause(warmMs + windowMs);
  const text = JSON.stringify({ calls, watched } satisfies Traced);
  const count = calls.length;
  await writeFile(traceFile, text.replaceAll(`"${directory}/`, '"<home>/'));
  return { calls: count };
}

/** Resolves with the processor time of an idle member per second. */
async function measureMember(place: Place): Promise<{ readonly cpu: number }> {
  await idleSource(place);
  writeFileSync(place.begun, '');
  await pause(place.warmMs);
  return { cpu: await cpuMsPerSecond(ownCpuMs, place.windowMs) };
}

/** Makes the traced calls. Resolves with the processor time per second, and the calls that failed. */
async function measureLoop({
  directory,
  traceFile,
  begun,
  warmMs,
  windowMs,
}: Place): Promise<{ readonly cpu: number; readonly failed: number }> {
  const text = await readFile(traceFile, 'utf8');
  const { calls, watched } = JSON.parse(text.replaceAll('"<home>/', `"${directory}/`)) as Traced;
  for (const one of new Set(watched)) watch(one, () => undefined);
  while (!existsSync(begun)) await pause(5);
  const replayed = replay(calls, performance.now());
  await pause(warmMs);
  const cpu = await cpuMsPerSecond(ownCpuMs, windowMs);
  return { cpu, failed: await replayed };
}
