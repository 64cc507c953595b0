// The time that a group needs to settle after it starts in an empty store: three members that begin
// at once, in one process on memory and in a process each elsewhere. It has settled once each
// partition has one leader, no member leads more than its share, and no term has begun or ended for
// 3 T. Time runs from the command to join until the last of those changes. Every term beyond the
// first of each partition is needless. The benchmark measures the stalls of each member process's
// event loop, and those of the measuring process. That one is almost idle, so the machine causes
// its stalls.
//
// The baseline is 10 T. The size that took longest counts.
import { setTimeout as pause } from 'node:timers/promises';
import { msBetween } from '../measure/ms-between.ts';
import { median } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import type { OpenBackend, Size } from './backends.ts';
import { watchLoop } from './loop-stalls.ts';
import { type MemberProcess, startProcess } from './member.ts';
import { termLogOf } from './term-log.ts';

/** The sizes to measure, with the number of members and T. */
export interface SettleOptions {
  readonly sizes: readonly Size[];
  readonly members: number;
  readonly thresholdMs: number;
}

/** The result for one size. */
interface Settled {
  readonly size: Size;
  /** In T; the patience if the group did not settle. */
  readonly thresholds: number;
  readonly hasSettled: boolean;
  readonly led: number;
  readonly needless: number;
  readonly stallMs: number;
  /** The longest stall of the measuring process. */
  readonly idleStallMs: number;
}

/** The time in which a group has to settle. In T. */
const limitThresholds = 10;
/** The time without a change after which a group counts as settled. In T. */
const quietThresholds = 3;
/** The time after which a group counts as not settled. In T. */
const timeoutThresholds = 30;

/** Runs the benchmark on each size whose backend can be started here. */
export async function settle({ sizes, ...options }: SettleOptions): Promise<Report> {
  const settled: Settled[] = [];
  const missing: string[] = [];
  for (const size of sizes) {
    if (await size.isOffered()) settled.push(await settledOf(size, options));
    else missing.push(size.backend);
  }
  return report(settled, missing, options);
}

type Common = Omit<SettleOptions, 'sizes'>;

async function settledOf(size: Size, options: Common): Promise<Settled> {
  await using open = await size.open(options.members);
  const processes = startAll(size, open, options);
  try {
    return await watched(size, processes, options);
  } finally {
    await Promise.all(processes.map((process) => process.kill()));
  }
}

function startAll(
  { isOneProcess, partitions }: Size,
  { backend, members }: OpenBackend,
  { thresholdMs }: Common,
): readonly MemberProcess[] {
  const each = isOneProcess ? [members] : members.map((member) => [member]);
  return each.map((living) => startProcess({ backend, members: living, partitions, thresholdMs }));
}

async function watched(
  size: Size,
  processes: readonly MemberProcess[],
  { members, thresholdMs }: Common,
): Promise<Settled> {
  const log = termLogOf({ partitions: size.partitions, members });
  for (const process of processes)
    process.listen(
      (message) => (message.kind === 'began' || message.kind === 'ended') && log.take(message),
    );
  await Promise.all(processes.map((process) => process.next('loaded')));
  const idleMs = watchLoop();
  const beganNs = process.hrtime.bigint();
  for (const one of processes) one.send({ kind: 'begin' });
  const since = (fromNs: bigint): number =>
    msBetween(fromNs, process.hrtime.bigint()) / thresholdMs;
  const hasSettled = (): boolean => log.isShared && since(log.changedNs) >= quietThresholds;
  while (!hasSettled() && since(beganNs) < timeoutThresholds) await pause(thresholdMs / 20);
  const stalls = Promise.all(processes.map((process) => process.next('stalled')));
  for (const one of processes) one.send({ kind: 'report' });
  const stallMs = Math.max(...(await stalls).map(({ worstMs }) => worstMs));
  const isOver = hasSettled();
  const thresholds = isOver ? msBetween(beganNs, log.changedNs) / thresholdMs : timeoutThresholds;
  return {
    size,
    thresholds,
    hasSettled: isOver,
    led: log.led,
    needless: log.needless,
    stallMs,
    idleStallMs: idleMs(),
  };
}

function report(
  settled: readonly Settled[],
  missing: readonly string[],
  { members, thresholdMs }: Common,
): Report {
  if (settled.length === 0) throw new Error('no backend can be started here');
  const thresholds = settled.map((one) => one.thresholds);
  const worst = Math.max(...thresholds);
  const figures = {
    name: 'settle',
    unit: 'T',
    runs: settled.length,
    p50: median(thresholds),
    p99: worst,
  } as const;
  return {
    figures: {
      ...figures,
      baseline: limitThresholds,
      ratio: worst / limitThresholds,
      limit: 1,
      better: 'lower',
    },
    against: `ten T; T ${thresholdMs} ms; runs are sizes, p99 is the slowest`,
    notes: [
      ...settled.map((one) => noteOf(one, members)),
      ...missing.map((backend) => `${backend} is left out: it cannot be started here`),
    ],
  };
}

function noteOf(
  { size, thresholds, hasSettled, led, needless, stallMs, idleStallMs }: Settled,
  members: number,
): string {
  const { backend, partitions } = size;
  const end = hasSettled
    ? `settled in ${thresholds.toFixed(2)} T`
    : `not settled after ${thresholds} T: ${led} partitions led`;
  const stall = `worst loop stall ${stallMs.toFixed(0)} ms (${idleStallMs.toFixed(0)} ms in the measuring process)`;
  return `${backend} ${partitions} × ${members}: ${end}, ${needless} needless terms, ${stall}`;
}
