// Counts the requests of idle groups at the server. The baseline is the rate that the reference of
// each adapter over rows documents for all members together: 4 N / T reads, and (3 M + N) / T
// changes, for N members and M partitions. The worst size determines the ratio.
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { median, quantile } from './statistics.ts';

/** The group sizes, T, and the duration of each measurement. */
export interface IdleRequestsOptions {
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

/** The server that the members use, and what it counts. */
export interface CountingServer {
  /** The name of the benchmark. */
  readonly name: string;
  /** The words for a read and for a change, in the plural. */
  readonly words: { readonly reads: string; readonly writes: string };
  /** Starts a member in a process of its own. */
  start(input: {
    readonly group: string;
    readonly member: string;
    readonly thresholdMs: number;
    readonly partitions: number;
  }): { next(kind: 'ready'): Promise<unknown>; kill(): Promise<void> };
  /** Resolves with the number of requests since the server started. */
  count(): Promise<{ readonly reads: number; readonly writes: number }>;
}

/** Measures each size in turn, with a group of its own. */
export async function idleRequests(
  server: CountingServer,
  options: IdleRequestsOptions,
): Promise<Report> {
  const { name, words } = server;
  const points: Point[] = [];
  for (const size of options.sizes) points.push(await point(server, options, size));
  const ratios = points.flatMap(({ reads, writes }) => [reads.ratio, writes.ratio]);
  // A window that begins just before a request holds one more than its length says.
  const limit = 1 + options.thresholdMs / 3 / options.windowMs;
  const perMember = points.map(({ size, reads, writes }) => (reads.a + writes.a) / size.members);
  return {
    figures: {
      ...{ name, unit: 'requests/s', runs: points.length },
      ...{ p50: median(perMember), p99: quantile(perMember, 0.99), baseline: 1 },
      ...{ ratio: Math.max(...ratios), limit, better: 'lower' },
    },
    against: 'the documented rates; counted by the server',
    notes: points.map(
      ({ size, reads, writes }) =>
        `${size.partitions} partitions, ${size.members} members: ${significant(reads.a)} ${words.reads}/s (${reads.ratio.toFixed(2)} of the documented rate), ${significant(writes.a)} ${words.writes}/s (${writes.ratio.toFixed(2)})`,
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
  server: CountingServer,
  { thresholdMs, windowMs }: IdleRequestsOptions,
  size: Size,
): Promise<Point> {
  const { partitions, members } = size;
  const group = `requests-${partitions}-${members}`;
  const there = Array.from({ length: members }, (_, index) =>
    server.start({ group, member: `${group}-${index}`, thresholdMs, partitions }),
  );
  try {
    await Promise.all(there.map((member) => member.next('ready')));
    await pause(quietThresholds * thresholdMs);
    const [before, since] = [await server.count(), performance.now()];
    await pause(windowMs);
    const [now, seconds] = [await server.count(), (performance.now() - since) / 1000];
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
