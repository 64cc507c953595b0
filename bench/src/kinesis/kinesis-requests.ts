// Measures the requests of idle groups on a DynamoDB table, for growing numbers of members (N) and
// partitions (M). A proxy counts the requests of every member. The baseline is the rate that
// docs/reference/dynamodb.md documents for all members together: 4 N / T queries, (3 M + N) / T
// writes, and at most five reads of the stream a second. The worst size determines the ratio.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Asked, type Environment, openEnvironment } from './environment.ts';
import type { Member } from './member.ts';

/** The group sizes, T, and the duration of each measurement. */
export interface KinesisRequestsOptions {
  readonly sizes: readonly Size[];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

/** A group size. */
interface Size {
  readonly partitions: number;
  readonly members: number;
}

/**
 * How long to wait for a new group, in multiples of T. It waits for T first, and a partition
 * changes hands at most once in 2 T (L9).
 */
const quietThresholds = 4;
/**
 * Intervals are up to a tenth shorter, so that members do not read in step, and a repeated write
 * costs an additional read.
 */
const limit = 1.25;
/** The reads per second that a shard serves. */
const readingsASecond = 5;

/** Runs the benchmark. */
export async function kinesisRequests(options: KinesisRequestsOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const points: Point[] = [];
  for (const size of options.sizes) points.push(await point(environment, options, size));
  return report(environment, options, points);
}

/** Requests per second of a whole group: as counted, and as documented. */
interface Point {
  readonly size: Size;
  readonly counted: Asked;
  readonly said: Asked;
}

async function point(
  environment: Environment,
  { thresholdMs, windowMs }: KinesisRequestsOptions,
  size: Size,
): Promise<Point> {
  const { partitions, members } = size;
  const group = `requests-${partitions}-${members}`;
  const names = Array.from({ length: members }, (_, index) => `${group}-${index}`);
  const there: Member[] = names.map((member) =>
    environment.start({ group, member, thresholdMs, partitions, wakes: true }),
  );
  try {
    await Promise.all(there.map((member) => member.next('ready')));
    await pause(quietThresholds * thresholdMs);
    const [before, since] = [environment.asked(names), performance.now()];
    await pause(windowMs);
    const seconds = (performance.now() - since) / 1000;
    const after = environment.asked(names);
    const rate = (what: keyof Asked): number => (after[what] - before[what]) / seconds;
    const perSecond = 1000 / thresholdMs;
    const said = {
      reads: 4 * members * perSecond,
      writes: (3 * partitions + members) * perSecond,
      stream: readingsASecond,
    };
    return {
      size,
      counted: { reads: rate('reads'), writes: rate('writes'), stream: rate('stream') },
      said,
    };
  } finally {
    await Promise.all(there.map((member) => member.kill()));
  }
}

function report(
  { name }: Environment,
  { thresholdMs }: KinesisRequestsOptions,
  points: readonly Point[],
): Report {
  const ratios = points.map(({ counted, said }) =>
    Math.max(...(['reads', 'writes', 'stream'] as const).map((one) => counted[one] / said[one])),
  );
  const perMember = points.map(
    ({ size, counted }) => (counted.reads + counted.writes + counted.stream) / size.members,
  );
  const worst = Math.max(...ratios);
  const figures = {
    name: 'kinesis-requests',
    unit: 'requests/s',
    runs: points.length,
    p50: median(perMember),
    p99: quantile(perMember, 0.99),
    baseline: 1,
  } as const;
  return {
    figures: { ...figures, ratio: worst, limit, better: 'lower' },
    against: `the rate that docs/reference/dynamodb.md documents, for the worst size; ${name}; T ${thresholdMs} ms`,
    notes: points.map(
      ({ size: { partitions, members }, counted }) =>
        `M ${partitions}, ${members} members: each ${significant(counted.reads / members)} queries, ${significant(counted.writes / members)} writes and ${significant(counted.stream / members)} stream reads a second`,
    ),
  };
}
