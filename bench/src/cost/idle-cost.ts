// Measures the cost of an idle member on the file backend. The member leads all eight partitions of
// its group, and only renews, polls and watches. The baseline is a bare loop that makes the same
// calls to `node:fs/promises` at the same times.
//
// First, the benchmark traces a member: every call with its arguments and its time. Then it runs
// pairs of processes: a member, and a loop that replays the trace on a copy of the traced member's
// directory. It reads the CPU time of all threads of each process. Both run at the same time, so
// that noise affects both equally. A warm-up excludes compilation.
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '@leadership/tools/processes';
import { median } from '../measure/statistics.ts';
import { tempDirectory } from '../measure/temp-directory.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import type { IdleInput, IdleMessage, Traced } from './idle.ts';

/** The number of runs, T, and the durations. */
export interface IdleCostOptions extends Omit<IdleInput, 'directory'> {
  readonly runs: number;
}

/** The files of the trace. */
interface Recorded {
  readonly copy: string;
  readonly traceFile: string;
}

/** Runs the benchmark. */
export async function idleCost({ runs, ...times }: IdleCostOptions): Promise<Report> {
  await using home = await tempDirectory();
  const recorded = { copy: join(home.path, 'copy'), traceFile: join(home.path, 'trace.json') };
  await record(join(home.path, 'traced'), recorded, times);
  const ours: number[] = [];
  const baseline: number[] = [];
  let failed = 0;
  for (let run = 0; run < runs; run += 1) {
    const { member, loop } = await pair(join(home.path, String(run)), recorded, times);
    ours.push(member.cpuMsPerSecond);
    baseline.push(loop.cpuMsPerSecond);
    failed += loop.failed / runs;
  }
  const { calls } = JSON.parse(await readFile(recorded.traceFile, 'utf8')) as Traced;
  const seconds = (times.warmMs + times.windowMs) / 1000;
  const pairedRatio = median(ours.map((cpu, run) => cpu / (baseline[run] ?? Number.NaN)));
  return {
    figures: costOf('idle-cost', 'ms CPU/s', 1.2, { ours, baseline, pairedRatio }),
    against: 'a bare loop of the same file operations at the same times',
    notes: [
      `median of the pairs' own ratios: ${pairedRatio.toFixed(3)}; T ${times.thresholdMs} ms, 8 partitions`,
      `${(calls.length / seconds).toFixed(0)} calls a second; in the loop, ${failed.toFixed(0)} of ${calls.length} calls per run failed`,
    ],
  };
}

async function record(
  directory: string,
  recorded: Recorded,
  times: Omit<IdleInput, 'directory'>,
): Promise<void> {
  const program = new URL('../programs/idle-trace.js', import.meta.url);
  await using tracing = startChild<IdleMessage>(program, {
    input: { directory, ...recorded, ...times },
  });
  await tracing.next('traced');
}

type Measured = Extract<IdleMessage, { readonly kind: 'measured' }>;

async function pair(
  home: string,
  { copy, traceFile }: Recorded,
  times: Omit<IdleInput, 'directory'>,
): Promise<{ readonly member: Measured; readonly loop: Measured }> {
  const [own, copied] = [join(home, 'member'), join(home, 'loop')];
  await cp(copy, copied, { recursive: true });
  await using member = await prepared(new URL('../programs/idle-member.js', import.meta.url), {
    directory: own,
    ...times,
  });
  await using loop = await prepared(new URL('../programs/idle-loop.js', import.meta.url), {
    directory: copied,
    traceFile,
    ...times,
  });
  const [ours, bare] = [member.next('measured'), loop.next('measured')];
  member.send({});
  loop.send({});
  return { member: await ours, loop: await bare };
}

async function prepared(program: URL, input: object): Promise<Child<IdleMessage>> {
  const child = startChild<IdleMessage>(program, { input });
  await child.next('prepared');
  return child;
}
