// What an idle member on the file backend costs: one that leads all eight partitions of its group and does nothing with them
// but renew, poll and watch, beside a bare loop that makes the same calls of `node:fs/promises` at the same times.
//
// A member is traced first: every call, its arguments, its time. Then pairs of processes run over the same window, a member
// and a loop that replays the trace on a copy of the traced member's directory, and the CPU time of each (all its threads)
// is read. They run at once, so that noise hits both; a warm-up before the window leaves the compiler out.
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../measure/statistics.ts';
import { type Child, startChild } from '../process/child.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import type { IdleInput, IdleTold, Traced } from './idle.ts';

/** How often and how long. */
export interface IdleCostOptions extends Omit<IdleInput, 'directory'> {
  readonly runs: number;
}

/** Where the trace is. */
interface Recorded {
  readonly copy: string;
  readonly traceFile: string;
}

/** Runs it. */
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
      `${(calls.length / seconds).toFixed(0)} calls a second; of ${calls.length} in a run ${failed.toFixed(0)} failed in the loop`,
    ],
  };
}

async function record(directory: string, recorded: Recorded, times: Omit<IdleInput, 'directory'>): Promise<void> {
  const program = new URL('../programs/idle-trace.js', import.meta.url);
  await using tracing = startChild<IdleTold>(program, { input: { directory, ...recorded, ...times } });
  await tracing.next('traced');
}

type Measured = Extract<IdleTold, { readonly kind: 'measured' }>;

async function pair(
  home: string,
  { copy, traceFile }: Recorded,
  times: Omit<IdleInput, 'directory'>,
): Promise<{ readonly member: Measured; readonly loop: Measured }> {
  const [own, copied] = [join(home, 'member'), join(home, 'loop')];
  await cp(copy, copied, { recursive: true });
  await using member = await prepared(new URL('../programs/idle-member.js', import.meta.url), { directory: own, ...times });
  await using loop = await prepared(new URL('../programs/idle-loop.js', import.meta.url), { directory: copied, traceFile, ...times });
  const [ours, bare] = [member.next('measured'), loop.next('measured')];
  member.tell({});
  loop.tell({});
  return { member: await ours, loop: await bare };
}

async function prepared(program: URL, input: object): Promise<Child<IdleTold>> {
  const child = startChild<IdleTold>(program, { input });
  await child.next('prepared');
  return child;
}
