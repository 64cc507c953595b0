// Measures the time that a group needs to settle, in T: after it starts in an empty store, and after
// an overload. A group has settled once each partition has one leader, no member leads more than its
// share, and no term has begun or ended for 3 T. Every term beyond the first of each partition is
// needless. The baseline is 10 T.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type SpawnedMember, spawnMember } from '@leadership/testkit/faults';
import type { Backend, OpenBackend } from '../backends/backend.ts';
import { file } from '../backends/file.ts';
import { kafka } from '../backends/kafka.ts';
import { dynamoDb } from '../backends/kinesis.ts';
import { memory } from '../backends/memory.ts';
import { nerio } from '../backends/nerio.ts';
import { msBetween } from '../measure/ms-between.ts';
import { figuresOf, type Report, type Target } from '../report/figures.ts';
import { isShared, leadersOf, settledLeaders } from './leaders.ts';

/** A backend and the number of partitions at which it has to settle. */
export interface Size {
  readonly title: string;
  readonly backend: Backend;
  readonly partitions: number;
  /** Whether all members live in one process. */
  readonly isOneProcess?: boolean;
}

/** The documented size on Kafka. */
export const kafkaSize: Size = { title: 'Kafka', backend: kafka, partitions: 256 };

/** The sizes that the documentation names. */
export const sizes: readonly Size[] = [
  { title: 'memory', backend: memory, partitions: 256, isOneProcess: true },
  { title: 'file', backend: file, partitions: 128 },
  { title: 'Nerio', backend: nerio, partitions: 256 },
  { title: 'Kinesis', backend: dynamoDb, partitions: 256 },
  kafkaSize,
];

/** The number of members, and T. */
interface Common {
  readonly members: number;
  readonly thresholdMs: number;
}

/** The sizes to measure. */
export interface SettleOptions extends Common {
  readonly sizes: readonly Size[];
}

/** The time in which a group has to settle. In T. */
const limitThresholds = 10;
/** The time without a change after which a group counts as settled. In T. */
const quietThresholds = 3;
/** The time after which a group counts as not settled, after a start and after an overload. In T. */
const timeoutThresholds = { start: 30, overload: 60 };

/** The sampling interval of the event loop. Milliseconds. */
const resolutionMs = 10;

/** Runs the benchmark on each size whose backend can be started here. */
export async function settle({ sizes: all, ...options }: SettleOptions): Promise<Report> {
  const settled: Settled[] = [];
  const missing: string[] = [];
  for (const size of all) {
    if (await size.backend.isOffered()) settled.push(await settledOf(size, options));
    else missing.push(`${size.title} is left out: it cannot be started here`);
  }
  if (settled.length === 0) throw new Error('no backend can be started here');
  return {
    figures: figuresOf(
      settled.map(({ thresholds }) => thresholds),
      targetOf('settle'),
    ),
    against: `ten T; T ${options.thresholdMs} ms; runs are sizes, p99 is the slowest`,
    notes: [...settled.map(({ note }) => note), ...missing],
  };
}

/** The size that took longest counts. */
function targetOf(name: string): Target {
  return { name, unit: 'T', baseline: limitThresholds, limit: 1, by: 'p99' };
}

/** The time of one size in T, and a remark. */
interface Settled {
  readonly thresholds: number;
  readonly note: string;
}

async function settledOf({ title, ...size }: Size, options: Common): Promise<Settled> {
  await using open = await size.backend.open(options);
  const { partitions } = size;
  const { members, thresholdMs } = options;
  const processes = await startGroup(open, size, { ...options, group: 'settle' });
  try {
    await Promise.all(processes.map((member) => member.stallMs()));
    // This process is almost idle, so the machine causes its stalls.
    const idle = monitorEventLoopDelay({ resolution: resolutionMs });
    idle.enable();
    const opened = processes.map(({ events: [first] }) => first?.atNs ?? 0n);
    const beganNs = opened.reduce((least, ns) => (ns < least ? ns : least));
    const thresholds = await settledAfter(processes, beganNs, {
      partitions,
      members,
      thresholdMs,
      timeout: timeoutThresholds.start,
    });
    const stalls = await Promise.all(processes.map((member) => member.stallMs()));
    const { led, terms } = leadersOf(processes);
    const end =
      thresholds === undefined
        ? `not settled after ${timeoutThresholds.start} T: ${led} partitions led`
        : `settled in ${thresholds.toFixed(2)} T`;
    return {
      thresholds: thresholds ?? timeoutThresholds.start,
      note: `${title} ${partitions} × ${members}: ${end}, ${Math.max(0, terms - partitions)} needless terms, worst loop stall ${Math.max(...stalls).toFixed(0)} ms (${Math.max(0, idle.max / 1e6 - resolutionMs).toFixed(0)} ms in the measuring process)`,
    };
  } finally {
    await end(processes);
  }
}

/** Resolves with the T from `beganNs` until the group has settled; `undefined` if it does not. */
async function settledAfter(
  processes: readonly SpawnedMember[],
  beganNs: bigint,
  {
    thresholdMs,
    timeout,
    ...size
  }: Common & { readonly partitions: number; readonly timeout: number },
): Promise<number | undefined> {
  const leaders = await settledLeaders(processes, {
    isRight: (found) => isShared(found, size),
    quietMs: quietThresholds * thresholdMs,
    timeoutMs: timeout * thresholdMs,
  });
  return leaders && Math.max(0, msBetween(beganNs, leaders.changedNs)) / thresholdMs;
}

/** Starts all members of a group at once. */
async function startGroup(
  open: OpenBackend,
  { partitions, isOneProcess = false }: Pick<Size, 'partitions' | 'isOneProcess'>,
  { members, thresholdMs, group }: Common & { readonly group: string },
): Promise<readonly SpawnedMember[]> {
  const names = open.names ?? Array.from({ length: members }, (_, index) => `m${index + 1}`);
  const [first = '', ...others] = names;
  const living = isOneProcess ? [[first, ...others]] : names.map((name) => [name]);
  return await Promise.all(
    living.map(([member = '', ...beside]) => {
      const { url, env } = open.address(group, member);
      const options = { member, partitions, thresholdMs };
      return spawnMember({ url, options, beside, work: { kind: 'none' } }, env);
    }),
  );
}

async function end(processes: readonly SpawnedMember[]): Promise<void> {
  await Promise.all(processes.map((member) => member.kill()));
}

/** The measured size, the load beside it, and T. */
export interface OverloadOptions extends Common {
  readonly size: Size;
  /** How many more groups of that size cause the overload, and for how long. */
  readonly groups: number;
  readonly overloadMs: number;
}

/**
 * Measures a group that has settled after an overload: more groups of its size start on the same
 * server and the same processors, all at once, and are killed after a while. Time runs from their
 * end until the last term of the first group began or ended.
 */
export async function overload(options: OverloadOptions): Promise<Report> {
  const { size, groups, overloadMs, ...common } = options;
  const { members, thresholdMs } = common;
  const { partitions } = size;
  await using open = await size.backend.open({ members });
  const usual = await startGroup(open, size, { ...common, group: 'settle' });
  const settled = (sinceNs: bigint): Promise<number | undefined> =>
    settledAfter(usual, sinceNs, { partitions, ...common, timeout: timeoutThresholds.overload });
  try {
    await settled(0n);
    const before = leadersOf(usual).terms;
    const load = await Promise.all(
      Array.from({ length: groups }, (_, index) =>
        startGroup(open, size, { ...common, group: `load-${index}` }),
      ),
    );
    await pause(overloadMs);
    const led = load.reduce((sum, group) => sum + leadersOf(group).led, 0);
    await Promise.all(load.map(end));
    const thresholds = (await settled(process.hrtime.bigint())) ?? timeoutThresholds.overload;
    const terms = leadersOf(usual).terms - before;
    return {
      figures: figuresOf([thresholds], targetOf('settle-after-overload')),
      against: `ten T; T ${thresholdMs} ms; ${size.title} ${partitions} × ${members} after ${overloadMs / 1000} s of overload`,
      notes: [
        `${led} of ${groups * partitions} partitions of the other groups were led at the end of the overload; ${terms} terms of the group began because of it`,
      ],
    };
  } finally {
    await end(usual);
  }
}
