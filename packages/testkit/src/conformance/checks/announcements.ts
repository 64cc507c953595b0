// Conformance checks of how members that do not lead learn of a claim.
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import type { Check } from '../check.ts';
import { type CheckContext, type Leading, leadingNow } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { allowanceOf } from '../latency.ts';
import { stallMeter } from '../stall.ts';

/** Every candidate leads before the hand-overs that are measured: to a session, by its release. */
const [names, partitions] = [['a', 'b', 'c'], 6];
/**
 * The groups whose first claim is measured. Nothing but the claim itself wakes their members then, while a
 * release or the end of a session wakes all of them.
 */
const groups = 6;
/** Members use four times the T of the cluster, so that a poll takes much longer than a notification. */
const longer = 4;
/** First claims are few at a time, and the stalls of the machine count four times, so T is longer still. */
const longest = 8;
/** A member without a session polls every T/4, and an observer every T/2. */
const pollShareMax = 1 / 2;
const shareMax = 1 / 8;

/** A member's report of a claim. */
interface Report {
  readonly isObserver: boolean;
  /** How long after the claim it came, less the stalls of that time. */
  readonly tookMs: number;
}

/** Claims are announced. */
export const leaderIsAnnounced: Check = defineCheck({
  id: 'leader-is-announced',
  title:
    'A follower and an observer report the new leader of a first claim, and of a hand-over, without waiting for their poll: all but one of several in less than T/8 plus the measured stall (M3)',
  needs: ['announcements'],
  async run(context) {
    const thresholdMs = longer * context.thresholdMs;
    const longestMs = longest * context.thresholdMs;
    judge(await reportsOfFirstClaims(context, longestMs), shareMax * longestMs);
    const options = { partitions, thresholdMs };
    const observer = context.open('observer', { ...options, campaign: false });
    const sources = names.map((member) => context.open(member, options));
    await context.allReady([observer, ...sources]);
    await context.until('every candidate leads', () => isEachLeading(sources));
    const reports: Report[] = [];
    for (let partition = 0; partition < partitions; partition += 1)
      reports.push(...(await reportsOfClaim(context, partition, observer, sources)));
    judge(reports, shareMax * thresholdMs);
  },
});

/** Opens groups, and waits until all members of each report the member that leads it first. */
async function reportsOfFirstClaims(
  context: CheckContext,
  thresholdMs: number,
): Promise<readonly Report[]> {
  const opened = Array.from({ length: groups }, async (_, index) => {
    const options = { thresholdMs, group: `${context.group}-${index}` };
    const early = context.open('a', options);
    // The polls of members that were opened at once would all follow the claim at once.
    await pause((index / groups) * pollShareMax * thresholdMs);
    const observer = context.open('observer', { ...options, campaign: false });
    const candidates = [early, context.open('b', options)];
    const all = [observer, ...candidates];
    await context.allReady(all);
    const first = await context.leader(candidates);
    const reports = await reportsOf(context, first, 0, observer, candidates);
    await Promise.all(
      all.map((source) => context.settled(`${source.member} closes`, source.close())),
    );
    return reports;
  });
  return (await Promise.all(opened)).flat();
}

/** Waits until the other members report a leader. */
async function reportsOf(
  context: CheckContext,
  { source: leader, role, token }: Leading,
  partition: number,
  observer: LeadershipSource,
  sources: readonly LeadershipSource[],
): Promise<readonly Report[]> {
  using stall = stallMeter();
  const ledAt = performance.now();
  const others = [observer, ...sources.filter((source) => source !== leader)];
  const reports = others.map(async (source) => {
    await context.until(`${source.member} reports the leader of partition ${partition}`, () => {
      if (role.term()?.token !== token)
        throw new Inconclusive(`${leader.member} lost its term before all had reported it`);
      return source.role(partition).leader()?.token === token;
    });
    const tookMs = performance.now() - ledAt - allowanceOf(stall);
    return { isObserver: source === observer, tookMs };
  });
  return await Promise.all(reports);
}

/** Returns whether every candidate leads, and every partition is led. */
function isEachLeading(sources: readonly LeadershipSource[]): boolean {
  const led = sources.map((source) => source.held().size);
  return !led.includes(0) && led.reduce((sum, size) => sum + size, 0) === partitions;
}

/** Lets the leader of a partition resign, and waits until all others report the next one. */
async function reportsOfClaim(
  context: CheckContext,
  partition: number,
  observer: LeadershipSource,
  sources: readonly LeadershipSource[],
): Promise<readonly Report[]> {
  const { role, token } = await context.leader(sources, partition);
  const resigned = role.resign();
  const next = await context.until(`another member leads partition ${partition}`, () => {
    const leading = leadingNow(sources, partition);
    return leading?.token === token ? undefined : leading;
  });
  const reports = await reportsOf(context, next, partition, observer, sources);
  await context.settled('the former leader has resigned', resigned);
  return reports;
}

function judge(reports: readonly Report[], boundMs: number): void {
  for (const [who, ofWho] of [
    ['an observer', reports.filter(({ isObserver }) => isObserver)],
    ['a follower', reports.filter(({ isObserver }) => !isObserver)],
  ] as const)
    judgeOf(who, ofWho, boundMs);
}

function judgeOf(who: string, reports: readonly Report[], boundMs: number): void {
  const took = reports.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const tookMs = took.at(-2) ?? Number.POSITIVE_INFINITY;
  if (tookMs > boundMs)
    throw new Inconclusive(
      `${who} reported a claim ${Math.round(tookMs)} ms later, promised were ${Math.round(boundMs)}: it waited for its poll`,
    );
}
