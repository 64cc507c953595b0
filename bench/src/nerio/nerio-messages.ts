// What an election among the members themselves says: all partitions are led, spread over all members, and the frames that they send
// each other are counted at several numbers of members, with few partitions and with many. What is said to one member in one turn of
// the event loop travels in one frame. Renewals of all partitions of a member are begun together, so frames are to grow with members
// and not with partitions.
//
// The baseline is the frames per second with few partitions, at the greatest number of members.
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../report/figures.ts';
import { significant } from '../report/significant.ts';
import { type Member, startMember } from './member.ts';
import { placesFor } from './places.ts';

/** At which sizes, and how long each is watched. */
export interface NerioMessagesOptions {
  /** Ascending. */
  readonly members: readonly number[];
  /** Few, and many. */
  readonly partitions: readonly [number, number];
  readonly thresholdMs: number;
  readonly windowMs: number;
}

/** By how much frames may grow where partitions do. */
const growthMax = 1.25;
/** How often is looked whether all is led. Milliseconds. */
const lookMs = 200;
/** What is not spread by then will not be. In looks. */
const looksMax = 300;

interface Point {
  readonly members: number;
  readonly partitions: number;
  readonly perSecond: number;
}

/** Runs it. */
export async function nerioMessages({ members, partitions, thresholdMs, windowMs }: NerioMessagesOptions): Promise<Report> {
  const points: Point[] = [];
  for (const size of members)
    for (const count of partitions)
      points.push({ members: size, partitions: count, perSecond: await rate(size, count, thresholdMs, windowMs) });
  return report(points, thresholdMs);
}

async function rate(size: number, partitions: number, thresholdMs: number, windowMs: number): Promise<number> {
  const addresses = await placesFor(size);
  const members = Object.keys(addresses).map((member) => startMember({ addresses, member, thresholdMs, partitions }));
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

async function spread(members: readonly Member[], partitions: number): Promise<void> {
  for (let look = 0; look < looksMax; look += 1) {
    const { leads } = await sent(members);
    const isEven = Math.max(...leads) - Math.min(...leads) <= 1;
    if (isEven && leads.reduce((sum, count) => sum + count, 0) === partitions) return;
    await pause(lookMs);
  }
  throw new Error(`${partitions} partitions were never spread over ${members.length} members`);
}

async function sent(members: readonly Member[]): Promise<{ readonly frames: number; readonly leads: readonly number[] }> {
  const answers = members.map((member) => member.next('sent'));
  for (const member of members) member.tell({ kind: 'sent' });
  const told = await Promise.all(answers);
  return { frames: told.reduce((sum, { frames }) => sum + frames, 0), leads: told.map(({ leads }) => leads) };
}

function report(points: readonly Point[], thresholdMs: number): Report {
  const [few, many] = points.slice(-2);
  if (few === undefined || many === undefined) throw new RangeError('there is nothing to compare');
  const ratio = many.perSecond / few.perSecond;
  const figures = { name: 'nerio-messages', unit: 'frames/s', runs: points.length, p50: many.perSecond, p99: many.perSecond } as const;
  return {
    figures: { ...figures, baseline: few.perSecond, ratio, limit: growthMax, better: 'lower' },
    against: `the same ${few.members} members with ${few.partitions} partitions instead of ${many.partitions}`,
    notes: points.map(
      ({ members, partitions, perSecond }) =>
        `${members} members, ${partitions} partitions: ${significant(perSecond)} frames/s; T ${thresholdMs} ms`,
    ),
  };
}
