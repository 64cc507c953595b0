// Measures how many records an election writes to its topic on a broker. A growing number of member
// processes leads 8 partitions, and the benchmark counts the records at each size. A member renews one
// session in each of three partitions of the topic, or leaves a note there every T. The reported value is
// the slope over the number of members, by least squares. Before that, the benchmark
// compares the CPU time of an idle leader of one partition with that of a goNELI leader. It also
// counts the records that goNELI writes for its single partition.
//
// The baseline is the maximum slope.
import { setTimeout as pause } from 'node:timers/promises';
import type { SpawnedMember } from '@leadership/testkit/faults';
import { startMember } from '../backends/backend.ts';
import { kafka, type OpenKafka } from '../backends/kafka.ts';
import type { Beside } from '../election/beside.ts';
import { spread } from '../election/leaders.ts';
import { nextLeaderNs } from '../election/members.ts';
import { cpuMsPerSecond } from '../measure/cpu.ts';
import { slope } from '../measure/statistics.ts';
import { besideGoneli, type GoneliMeasure, ofGoneliLeader } from '../peers/goneli.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';

/** The group sizes, T, and the durations. */
export interface KafkaRecordsOptions {
  /** Ascending. */
  readonly members: readonly number[];
  readonly thresholdMs: number;
  /** The warm-up, in milliseconds. Excludes compilation. */
  readonly warmMs: number;
  readonly windowMs: number;
}

/** The default of every backend. */
const partitions = 8;
/** The greatest number of records of a member in T: three renewals in each of three stores. */
const recordsMax = 9;
/** Runs the benchmark. */
export async function kafkaRecords(options: KafkaRecordsOptions): Promise<Report> {
  await using open = await kafka.open({ members: Math.max(...options.members) });
  const { windowMs } = options;
  const cpu = await besideGoneli(open, goneliCpu(windowMs), () => idleCpu(open, options));
  const records = await besideGoneli(open, goneliRecords(open, windowMs), () =>
    rates(open, options),
  );
  return reportOf(open, options, cpu, records);
}

function goneliCpu(windowMs: number): GoneliMeasure {
  return {
    what: 'CPU of an idle leader',
    unit: 'ms CPU/s',
    values: (group) =>
      ofGoneliLeader(group, (leader) => cpuMsPerSecond(() => leader.cpuMs(), windowMs)),
  };
}

function goneliRecords(open: OpenKafka, windowMs: number): GoneliMeasure {
  return {
    what: 'records for its one partition',
    unit: 'records/s',
    async *values(group) {
      await using rate = await openRecordRate(open, group.topic);
      yield* ofGoneliLeader(group, () => rate.perSecond(windowMs));
    },
  };
}

async function idleCpu(
  open: OpenKafka,
  { thresholdMs, warmMs, windowMs }: KafkaRecordsOptions,
): Promise<number> {
  const start = (member: string): Promise<SpawnedMember> =>
    startMember(open, { group: 'idle', member, thresholdMs, partitions: 1 });
  await using leader = await start('leader');
  await nextLeaderNs([leader], 0n);
  await using _other = await start('other');
  await pause(warmMs);
  return await cpuMsPerSecond(() => leader.cpuMs(), windowMs);
}

type Points = readonly (readonly [members: number, recordsPerSecond: number])[];

async function rates(
  open: OpenKafka,
  { members, thresholdMs, windowMs }: KafkaRecordsOptions,
): Promise<Points> {
  const started: SpawnedMember[] = [];
  const points: [number, number][] = [];
  try {
    for (const size of members) {
      while (started.length < size) {
        const member = `m${started.length + 1}`;
        started.push(await startMember(open, { group: 'cost', member, thresholdMs, partitions }));
      }
      await spread(started, { partitions, members: size }, thresholdMs);
      await using rate = await openRecordRate(open, open.topic('cost'));
      points.push([size, await rate.perSecond(windowMs)]);
    }
  } finally {
    await Promise.all(started.map((member) => member.kill()));
  }
  return points;
}

function reportOf(
  { place }: OpenKafka,
  { thresholdMs }: KafkaRecordsOptions,
  cpu: Beside<number>,
  { ours: points, ...records }: Beside<Points>,
): Report {
  const steep = Math.abs(slope(points));
  const slopeMax = (1000 * recordsMax) / thresholdMs;
  const steepest = Math.max(
    ...points
      .slice(1)
      .map(([size, rate], at) => Math.abs(slope([points[at] ?? [size, rate], [size, rate]]))),
  );
  const sizes = points.map(([size, rate]) => `${significant(rate)} with ${size}`).join(', ');
  return {
    figures: {
      name: 'kafka-message-cost',
      unit: 'records/s',
      runs: points.length,
      p50: steep,
      p99: steepest,
      baseline: slopeMax,
      ratio: steep / slopeMax,
      limit: 1,
      better: 'lower',
    },
    against: `the maximum slope, per additional member; ${place}`,
    notes: [
      `records/s: ${sizes} members; ${partitions} partitions, T ${thresholdMs} ms`,
      `p99 is the steepest step from one size to the next`,
      `CPU of an idle leader of one partition: ${significant(cpu.ours)} ms CPU/s`,
      ...new Set([...cpu.notes, ...records.notes]),
    ],
    peers: [...cpu.peers, ...records.peers],
  };
}

/** Counts the records of a topic. Disposing disconnects the consumer. */
interface RecordRate extends AsyncDisposable {
  /**
   * Resolves with the records per second of all partitions together, over a window that begins now.
   */
  perSecond(windowMs: number): Promise<number>;
}

/** Starts to read a topic from its end. */
async function openRecordRate(open: OpenKafka, topic: string): Promise<RecordRate> {
  const consumer = open.kafka.consumer({
    groupId: `rate-${topic}`,
    allowAutoTopicCreation: false,
  });
  const times = new Map<number, number[]>();
  await consumer.connect();
  await consumer.subscribe({ topic });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      times.set(partition, [...(times.get(partition) ?? []), Number(message.timestamp)]);
    },
  });
  return {
    async perSecond(windowMs) {
      times.clear();
      await pause(windowMs);
      return [...times.values()].reduce((sum, stamps) => sum + rateOf(stamps), 0);
    },
    [Symbol.asyncDispose]: () => consumer.disconnect(),
  };
}

/**
 * Returns the rate between the first and the last record, so that the edges of the window do not
 * matter. Records per second.
 */
function rateOf(stamps: readonly number[]): number {
  const [first = 0, last = 0] = [stamps[0], stamps.at(-1)];
  return stamps.length < 2 ? 0 : (1000 * (stamps.length - 1)) / (last - first);
}
