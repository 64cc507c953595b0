// Measures how many records an election writes to its topic on a broker. A growing number of member
// processes leads 8 partitions, and the benchmark counts the records at each size. Only lease
// holders write, so the number of records should not depend on the number of members. The reported
// value is the slope over the number of members, by least squares. Before that, the benchmark
// compares the CPU time of an idle leader of one partition with that of a goNELI leader. It also
// counts the records that goNELI writes for its single partition.
//
// The baseline is the maximum slope.
import { setTimeout as pause } from 'node:timers/promises';
import { goneliIdleCpu, goneliRecords } from '../goneli/costs.ts';
import { type GoneliResults, measureBesideGoneli } from '../goneli/measure-beside.ts';
import { slope } from '../measure/statistics.ts';
import { cpuMsPerSecondOf } from '../process/child-cpu.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { trackLeaders } from './leader-tracker.ts';
import { type Member, startMember } from './member.ts';
import { openRecordRate } from './record-rate.ts';

/** The group sizes, T, and the durations. */
export interface KafkaMessageCostOptions {
  /** Ascending. */
  readonly members: readonly number[];
  readonly thresholdMs: number;
  /** The warm-up, in milliseconds. Excludes compilation. */
  readonly warmMs: number;
  readonly windowMs: number;
}

/** The default of every backend. */
const partitions = 8;
/** The maximum slope, in records per second for each additional member. */
const slopeMax = 0.05;
/**
 * How long the group must be unchanged to count as stable, in multiples of T. A partition changes
 * hands at most once in 2 T (L9).
 */
const quietThresholds = 2.5;

/** Runs the benchmark. */
export async function kafkaMessageCost(options: KafkaMessageCostOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const { windowMs } = options;
  const idle = await measureBesideGoneli(environment, goneliIdleCpu(windowMs), () =>
    idleCpu(environment, options),
  );
  const written = await measureBesideGoneli(environment, goneliRecords(environment, windowMs), () =>
    rates(environment, options),
  );
  return report(environment, options, {
    cpu: idle.ours,
    points: written.ours,
    sides: [idle.side, written.side],
  });
}

async function idleCpu(
  { brokers, named }: Environment,
  { thresholdMs, warmMs, windowMs }: KafkaMessageCostOptions,
): Promise<number> {
  const topic = named('idle');
  const start = (member: string): Member =>
    startMember({ brokers, topic, member, thresholdMs, partitions: 1 });
  await using leader = start('leader');
  await leader.next('leading');
  await using other = start('other');
  await other.next('ready');
  await pause(warmMs);
  return await cpuMsPerSecondOf(leader, windowMs);
}

type Points = readonly (readonly [members: number, recordsPerSecond: number])[];

async function rates(
  environment: Environment,
  { members, thresholdMs, windowMs }: KafkaMessageCostOptions,
): Promise<Points> {
  const topic = environment.named('cost');
  const leaders = trackLeaders(partitions);
  const there: Member[] = [];
  const points: [number, number][] = [];
  try {
    for (const size of members) {
      while (there.length < size) there.push(await join(`m${there.length + 1}`));
      await leaders.settled(size, quietThresholds * thresholdMs);
      await using rate = await openRecordRate(environment, topic);
      points.push([size, await rate.perSecond(windowMs)]);
    }
  } finally {
    await Promise.all(there.map((member) => member.kill()));
  }
  return points;

  async function join(name: string): Promise<Member> {
    const member = startMember({
      brokers: environment.brokers,
      topic,
      member: name,
      thresholdMs,
      partitions,
    });
    leaders.track(member);
    await member.next('ready');
    return member;
  }
}

interface Costs {
  readonly cpu: number;
  readonly points: Points;
  readonly sides: readonly GoneliResults[];
}

function report(
  environment: Environment,
  { thresholdMs }: KafkaMessageCostOptions,
  { cpu, points, sides }: Costs,
): Report {
  const steep = Math.abs(slope(points));
  const steepest = Math.max(
    ...points
      .slice(1)
      .map(([size, rate], at) => Math.abs(slope([points[at] ?? [size, rate], [size, rate]]))),
  );
  const figures = {
    name: 'kafka-message-cost',
    unit: 'records/s',
    runs: points.length,
    p50: steep,
    p99: steepest,
    baseline: slopeMax,
  } as const;
  const sizes = points.map(([size, rate]) => `${significant(rate)} with ${size}`).join(', ');
  return {
    figures: { ...figures, ratio: steep / slopeMax, limit: 1, better: 'lower' },
    against: `the maximum slope, per additional member; ${environment.name}`,
    notes: [
      `records/s: ${sizes} members; ${partitions} partitions, T ${thresholdMs} ms`,
      `p99 is the steepest step from one size to the next`,
      `CPU of an idle leader of one partition: ${significant(cpu)} ms CPU/s`,
      ...new Set(sides.flatMap(({ notes }) => notes)),
    ],
    peers: sides.flatMap(({ peers }) => peers),
  };
}
