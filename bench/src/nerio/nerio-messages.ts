// Measures how many frames the members of a Nerio group send each other. All partitions have a
// leader and are spread over all members. The benchmark counts the frames for several numbers of
// members, with few partitions and with many. Messages to the same member within one turn of the
// event loop share a frame. A member renews all its partitions at the same time, so the number of
// frames should grow with the number of members, and not with the number of partitions.
//
// The baseline is the frames per second with few partitions, at the largest number of members.
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { freeAddresses } from './free-addresses.ts';
import { type Member, startMember } from './member.ts';

/** The group sizes, T, and the duration of each measurement. */
export interface NerioMessagesOptions {
  /** Ascending. */
  readonly members: readonly number[];
  /** A small number and a large number. */
  readonly partitions: readonly [number, number];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

/** The maximum ratio of frames with many partitions to frames with few. */
const growthMax = 1.25;
/** The polling interval of `spread`, in milliseconds. */
const pollMs = 200;
/** The maximum number of polls of `spread`. */
const pollsMax = 300;

interface Point {
  readonly members: number;
  readonly partitions: number;
  readonly perSecond: number;
}

/** Runs the benchmark. */
export async function nerioMessages({
  members,
  partitions,
  thresholdMs,
  windowMs,
}: NerioMessagesOptions): Promise<Report> {
  const points: Point[] = [];
  for (const size of members)
    for (const count of partitions)
      points.push({
        members: size,
        partitions: count,
        perSecond: await rate(size, count, thresholdMs, windowMs),
      });
  return report(points, thresholdMs);
}

async function rate(
  size: number,
  partitions: number,
  thresholdMs: number,
  windowMs: number,
): Promise<number> {
  const addresses = await freeAddresses(size);
  const members = Object.keys(addresses).map((member) =>
    startMember({ addresses, member, thresholdMs, partitions }),
  );
  try {
    await Promise.all(members.map((member) => member.next('ready')));
    await spread(members, partitions);
    const [before, began] = [await sent(members), performance.now()];
    await pause(windowMs);
    const after = await sent(members);
    return ((after.frames - before.frames) * 1000) / (performance.now() - began);
  } finally {
    await Promise.all(members.map((member) => member.kill()));
  }
}

/** Resolves once the partitions are spread evenly over the members. */
async function spread(members: readonly Member[], partitions: number): Promise<void> {
  for (let poll = 0; poll < pollsMax; poll += 1) {
    const { leads } = await sent(members);
    const isEven = Math.max(...leads) - Math.min(...leads) <= 1;
    if (isEven && leads.reduce((sum, count) => sum + count, 0) === partitions) return;
    await pause(pollMs);
  }
  throw new Error(
    `${members.length} members did not spread ${partitions} partitions evenly within ${pollMs * pollsMax} ms`,
  );
}

async function sent(
  members: readonly Member[],
): Promise<{ readonly frames: number; readonly leads: readonly number[] }> {
  const answers = members.map((member) => member.next('sent'));
  for (const member of members) member.send({ kind: 'sent' });
  const reported = await Promise.all(answers);
  return {
    frames: reported.reduce((sum, { frames }) => sum + frames, 0),
    leads: reported.map(({ leads }) => leads),
  };
}

function report(points: readonly Point[], thresholdMs: number): Report {
  const [few, many] = points.slice(-2);
  if (few === undefined || many === undefined)
    throw new RangeError('nerio-messages needs at least one number of members');
  const ratio = many.perSecond / few.perSecond;
  const figures = {
    name: 'nerio-messages',
    unit: 'frames/s',
    runs: points.length,
    p50: many.perSecond,
    p99: many.perSecond,
  } as const;
  return {
    figures: { ...figures, baseline: few.perSecond, ratio, limit: growthMax, better: 'lower' },
    against: `the same ${few.members} members with ${few.partitions} partitions instead of ${many.partitions}`,
    notes: points.map(
      ({ members, partitions, perSecond }) =>
        `${members} members, ${partitions} partitions: ${significant(perSecond)} frames/s; T ${thresholdMs} ms`,
    ),
  };
}
