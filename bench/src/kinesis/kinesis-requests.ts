// What an election asks for, on a table: groups of ever more members and partitions rest, and the requests of every member are counted
// by a proxy on their way. The baseline is what docs/kinesis.md says they are: 4 N / T queries, (3 M + N) / T writes, and beside a
// stream at most five readings a second, all members together. The worst of all sizes is what counts.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Asked, type Ground, openGround } from './ground.ts';
import type { Member } from './member.ts';

/** At which sizes, and how long each is watched. */
export interface KinesisRequestsOptions {
  readonly sizes: readonly Size[];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

/** M, and how many members. */
interface Size {
  readonly partitions: number;
  readonly members: number;
}

/** A partition changes hands at most once in 2 T (L9), and a group that was just made waits for T. In T. */
const quietThresholds = 4;
/** Periods are a tenth shorter, so that members do not read in step; and a write that is repeated costs a reading. */
const limit = 1.25;
/** What a shard answers. Readings a second. */
const readingsASecond = 5;

/** Runs it. */
export async function kinesisRequests(options: KinesisRequestsOptions): Promise<Report> {
  await using ground = await openGround();
  const points: Point[] = [];
  for (const size of options.sizes) points.push(await point(ground, options, size));
  return report(ground, options, points);
}

/** Requests a second of the whole group, as counted and as said. */
interface Point {
  readonly size: Size;
  readonly counted: Asked;
  readonly said: Asked;
}

async function point(ground: Ground, { thresholdMs, windowMs }: KinesisRequestsOptions, size: Size): Promise<Point> {
  const { partitions, members } = size;
  const group = `requests-${partitions}-${members}`;
  const names = Array.from({ length: members }, (_, index) => `${group}-${index}`);
  const there: Member[] = names.map((member) => ground.start({ group, member, thresholdMs, partitions, wakes: true }));
  try {
    await Promise.all(there.map((member) => member.next('ready')));
    await pause(quietThresholds * thresholdMs);
    const [before, since] = [ground.asked(names), performance.now()];
    await pause(windowMs);
    const seconds = (performance.now() - since) / 1000;
    const after = ground.asked(names);
    const rate = (what: keyof Asked): number => (after[what] - before[what]) / seconds;
    const perSecond = 1000 / thresholdMs;
    const said = { reads: 4 * members * perSecond, writes: (3 * partitions + members) * perSecond, stream: readingsASecond };
    return { size, counted: { reads: rate('reads'), writes: rate('writes'), stream: rate('stream') }, said };
  } finally {
    await Promise.all(there.map((member) => member.kill()));
  }
}

function report({ name }: Ground, { thresholdMs }: KinesisRequestsOptions, points: readonly Point[]): Report {
  const ratios = points.map(({ counted, said }) =>
    Math.max(...(['reads', 'writes', 'stream'] as const).map((one) => counted[one] / said[one])),
  );
  const perMember = points.map(({ size, counted }) => (counted.reads + counted.writes + counted.stream) / size.members);
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
    against: `what docs/kinesis.md says, at its worst; ${name}; T ${thresholdMs} ms`,
    notes: points.map(
      ({ size: { partitions, members }, counted }) =>
        `M ${partitions}, ${members} members: each ${significant(counted.reads / members)} queries, ${significant(counted.writes / members)} writes and ${significant(counted.stream / members)} readings a second`,
    ),
  };
}
