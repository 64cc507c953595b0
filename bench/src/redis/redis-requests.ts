// Counts the scripts of idle groups at the server, by `INFO commandstats`. The baseline is the
// rate that docs/reference/redis.md documents for all members together: 4 N / T reads, and
// (3 M + N) / T changes. The worst size determines the ratio.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { openRedisGround, type RedisGround } from './ground.ts';

/** The group sizes, T, and the duration of each measurement. */
export interface RedisRequestsOptions {
  readonly sizes: readonly Size[];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

interface Size {
  readonly partitions: number;
  readonly members: number;
}

/**
 * How long to wait for a new group, in multiples of T. It waits for T first, and a partition
 * changes hands at most once in 2 T (L9).
 */
const quietThresholds = 4;
/** Intervals are up to a tenth shorter, so that members do not read in step. */
const limit = 1.25;

/** Runs the benchmark. */
export async function redisRequests(options: RedisRequestsOptions): Promise<Report> {
  await using ground = await openRedisGround();
  const points: Point[] = [];
  for (const size of options.sizes) points.push(await point(ground, options, size));
  const ratios = points.flatMap(({ reads, writes }) => [reads.ratio, writes.ratio]);
  const perMember = points.map(({ size, reads, writes }) => (reads.a + writes.a) / size.members);
  return {
    figures: {
      ...{ name: 'redis-requests', unit: 'requests/s', runs: points.length },
      ...{ p50: median(perMember), p99: quantile(perMember, 0.99), baseline: 1 },
      ...{ ratio: Math.max(...ratios), limit, better: 'lower' },
    },
    against: 'the documented rates; counted by the server',
    notes: points.map(
      ({ size, reads, writes }) =>
        `${size.partitions} partitions, ${size.members} members: ${significant(reads.a)} reads/s (${reads.ratio.toFixed(2)} of the documented rate), ${significant(writes.a)} changes/s (${writes.ratio.toFixed(2)})`,
    ),
  };
}

/** A rate per second, and its ratio to the documented one. */
interface Rate {
  readonly a: number;
  readonly ratio: number;
}

interface Point {
  readonly size: Size;
  readonly reads: Rate;
  readonly writes: Rate;
}

async function point(
  ground: RedisGround,
  { thresholdMs, windowMs }: RedisRequestsOptions,
  size: Size,
): Promise<Point> {
  const { partitions, members } = size;
  const group = `requests-${partitions}-${members}`;
  const there = Array.from({ length: members }, (_, index) =>
    ground.start('redis', { group, member: `${group}-${index}`, thresholdMs, partitions }),
  );
  try {
    await Promise.all(there.map((member) => member.next('ready')));
    await pause(quietThresholds * thresholdMs);
    const [before, since] = [await ground.scripts(), performance.now()];
    await pause(windowMs);
    const [now, seconds] = [await ground.scripts(), (performance.now() - since) / 1000];
    const rate = (count: number, documented: number): Rate => ({
      a: count / seconds,
      ratio: (count / seconds) * (thresholdMs / 1000 / documented),
    });
    return {
      size,
      reads: rate(now.reads - before.reads, 4 * members),
      writes: rate(now.writes - before.writes, 3 * partitions + members),
    };
  } finally {
    await Promise.all(there.map((member) => member.kill()));
  }
}
