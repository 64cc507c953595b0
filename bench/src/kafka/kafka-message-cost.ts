// What an election writes, on a broker: 8 partitions are led by ever more member processes, and the records that reach the topic
// are counted at each size. Holders alone write, so their number has nothing to do with how many members there are: the slope over
// the members, by least squares, is what is reported. Before that, a member that leads one partition and does nothing is compared
// with a leader of goNELI: CPU time of the whole process. goNELI's records are counted beside ours, for the one partition it has.
//
// The baseline is the slope to stay below.
import { setTimeout as pause } from 'node:timers/promises';
import { besideGoneli, type GoneliSide } from '../goneli/beside.ts';
import { goneliIdleCpu, goneliRecords } from '../goneli/costs.ts';
import { slope } from '../measure/statistics.ts';
import { cpuMsPerSecondOf } from '../process/asked-cpu.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Ground, openGround } from './ground.ts';
import { type Member, startMember } from './member.ts';
import { seatsOf } from './seats.ts';
import { openTally } from './tally.ts';

/** At which sizes, and how long each is watched. */
export interface KafkaMessageCostOptions {
  /** Ascending. */
  readonly members: readonly number[];
  readonly thresholdMs: number;
  /** Until the compiler is done. */
  readonly warmMs: number;
  readonly windowMs: number;
}

/** The default of every backend. */
const partitions = 8;
/** Records per second for each member more, to stay below. */
const slopeMax = 0.05;
/** A partition changes hands at most once in 2 T (L9). In T. */
const quietThresholds = 2.5;

/** Runs it. */
export async function kafkaMessageCost(options: KafkaMessageCostOptions): Promise<Report> {
  await using ground = await openGround();
  const { windowMs } = options;
  const idle = await besideGoneli(ground, goneliIdleCpu(windowMs), () => idleCpu(ground, options));
  const written = await besideGoneli(ground, goneliRecords(ground, windowMs), () => rates(ground, options));
  return report(ground, options, { cpu: idle.ours, points: written.ours, sides: [idle.side, written.side] });
}

async function idleCpu({ brokers, named }: Ground, { thresholdMs, warmMs, windowMs }: KafkaMessageCostOptions): Promise<number> {
  const topic = named('idle');
  const start = (member: string): Member => startMember({ brokers, topic, member, thresholdMs, partitions: 1 });
  await using leader = start('leader');
  await leader.next('leading');
  await using other = start('other');
  await other.next('ready');
  await pause(warmMs);
  return await cpuMsPerSecondOf(leader, windowMs);
}

type Points = readonly (readonly [members: number, recordsPerSecond: number])[];

async function rates(ground: Ground, { members, thresholdMs, windowMs }: KafkaMessageCostOptions): Promise<Points> {
  const topic = ground.named('cost');
  const seats = seatsOf(partitions);
  const there: Member[] = [];
  const points: [number, number][] = [];
  try {
    for (const size of members) {
      while (there.length < size) there.push(await join(`m${there.length + 1}`));
      await seats.settled(size, quietThresholds * thresholdMs);
      await using tally = await openTally(ground, topic);
      points.push([size, await tally.perSecond(windowMs)]);
    }
  } finally {
    await Promise.all(there.map((member) => member.kill()));
  }
  return points;

  async function join(name: string): Promise<Member> {
    const member = startMember({ brokers: ground.brokers, topic, member: name, thresholdMs, partitions });
    seats.attend(member);
    await member.next('ready');
    return member;
  }
}

interface Costs {
  readonly cpu: number;
  readonly points: Points;
  readonly sides: readonly GoneliSide[];
}

function report(ground: Ground, { thresholdMs }: KafkaMessageCostOptions, { cpu, points, sides }: Costs): Report {
  const steep = Math.abs(slope(points));
  const steepest = Math.max(...points.slice(1).map(([size, rate], at) => Math.abs(slope([points[at] ?? [size, rate], [size, rate]]))));
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
    against: `the slope to stay below, for each member more; ${ground.name}`,
    notes: [
      `records/s: ${sizes} members; ${partitions} partitions, T ${thresholdMs} ms`,
      `p99 is the steepest step from one size to the next`,
      `CPU of an idle leader of one partition: ${significant(cpu)} ms CPU/s`,
      ...new Set(sides.flatMap(({ notes }) => notes)),
    ],
    peers: sides.flatMap(({ peers }) => peers),
  };
}
