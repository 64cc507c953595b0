// Measures how many frames the members of a Nerio group send each other. All partitions have a
// leader and are spread over all members. The benchmark counts the frames for several numbers of
// members, with few partitions and with many. Messages to the same member within one turn of the
// event loop share a frame. A member renews all its partitions at the same time, so the number of
// frames should grow with the number of members, and not with the number of partitions.
//
// The baseline is the frames per second with few partitions, at the largest number of members.
import { setTimeout as pause } from 'node:timers/promises';
import { spawnMember } from '@leadership/testkit/faults';
import { nerio } from '../backends/nerio.ts';
import { spread } from '../election/leaders.ts';
import { figuresOf, type Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { growthPerSecond } from './measured.ts';

/** The group sizes, T, and the duration of each measurement. */
export interface NerioFramesOptions {
  /** Ascending. */
  readonly members: readonly number[];
  /** A small number and a large number. */
  readonly partitions: readonly [number, number];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

/** The maximum ratio of frames with many partitions to frames with few. */
const growthMax = 1.25;

interface Point {
  readonly members: number;
  readonly partitions: number;
  readonly perSecond: number;
}

/** Runs the benchmark. */
export async function nerioFrames(options: NerioFramesOptions): Promise<Report> {
  const points: Point[] = [];
  for (const members of options.members)
    for (const partitions of options.partitions)
      points.push({ members, partitions, perSecond: await rate(members, partitions, options) });
  return report(points, options.thresholdMs);
}

async function rate(
  size: number,
  partitions: number,
  { thresholdMs, windowMs }: NerioFramesOptions,
): Promise<number> {
  await using open = await nerio.open({ members: size });
  const module = new URL('../programs/counted-nerio.js', import.meta.url).href;
  const members = await Promise.all(
    (open.names ?? []).map((member) =>
      spawnMember({
        url: open.address('frames', member).url,
        options: { member, thresholdMs, partitions },
        work: { kind: 'none' },
        module,
      }),
    ),
  );
  try {
    await spread(members, { partitions, members: size }, thresholdMs);
    const sinceNs = process.hrtime.bigint();
    await pause(windowMs);
    return growthPerSecond(members, 'frames', sinceNs);
  } finally {
    await Promise.all(members.map((member) => member.kill()));
  }
}

function report(points: readonly Point[], thresholdMs: number): Report {
  const [few, many] = points.slice(-2);
  if (few === undefined || many === undefined)
    throw new RangeError('nerio-messages needs at least one number of members');
  const target = { name: 'nerio-messages', unit: 'frames/s', limit: growthMax, by: 'p50' } as const;
  const figures = figuresOf([many.perSecond], { ...target, baseline: few.perSecond });
  return {
    figures: { ...figures, runs: points.length },
    against: `the same ${few.members} members with ${few.partitions} partitions instead of ${many.partitions}`,
    notes: points.map(
      ({ members, partitions, perSecond }) =>
        `${members} members, ${partitions} partitions: ${significant(perSecond)} frames/s; T ${thresholdMs} ms`,
    ),
  };
}
