// Conformance checks of how members that do not lead learn of a claim.
import type { LeadershipSource } from '@leadership/core';
import type { Check } from '../check.ts';
import { type CheckContext, leadingNow } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { stallAllowance } from '../latency.ts';

/** Every candidate leads before the claims that are measured: the first one shows a new session too. */
const [candidates, partitions] = [['a', 'b', 'c'], 6];
/** Members use four times the T of the cluster, so that a poll takes much longer than a notification. */
const longer = 4;
/** A member without a session polls every T/4, and an observer every T/2. */
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
    'A follower and an observer report the new leader of a claim without waiting for their poll: all but one of several claims in less than T/8 plus the measured stall (M3)',
  needs: ['announcements'],
  async run(context) {
    const thresholdMs = longer * context.thresholdMs;
    const options = { partitions, thresholdMs };
    const observer = context.open('observer', { ...options, campaign: false });
    const sources = candidates.map((member) => context.open(member, options));
    await context.allReady([observer, ...sources]);
    await context.until('every candidate leads', () => isEachLeading(sources));
    const reports: Report[] = [];
    for (let partition = 0; partition < partitions; partition += 1)
      reports.push(...(await reportsOfClaim(context, partition, observer, sources)));
    const boundMs = shareMax * thresholdMs;
    for (const [who, ofWho] of [
      ['an observer', reports.filter(({ isObserver }) => isObserver)],
      ['a follower', reports.filter(({ isObserver }) => !isObserver)],
    ] as const)
      judge(who, ofWho, boundMs);
  },
});

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
  context.stall.take();
  const resigned = role.resign();
  const next = await context.until(`another member leads partition ${partition}`, () => {
    const leading = leadingNow(sources, partition);
    return leading?.token === token ? undefined : leading;
  });
  const ledAt = performance.now();
  const others = [observer, ...sources.filter((source) => source !== next.source)];
  const reports = others.map(async (source) => {
    await context.until(`${source.member} reports the leader of partition ${partition}`, () => {
      if (next.role.term()?.token !== next.token)
        throw new Inconclusive(`${next.source.member} lost its term before all had reported it`);
      return source.role(partition).leader()?.token === next.token;
    });
    return { isObserver: source === observer, tookMs: performance.now() - ledAt };
  });
  const all = await Promise.all(reports);
  await context.settled('the former leader has resigned', resigned);
  const stalledMs = stallAllowance(context);
  return all.map(({ isObserver, tookMs }) => ({ isObserver, tookMs: tookMs - stalledMs }));
}

function judge(who: string, reports: readonly Report[], boundMs: number): void {
  const took = reports.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const tookMs = took.at(-2) ?? Number.POSITIVE_INFINITY;
  if (tookMs > boundMs)
    throw new Inconclusive(
      `${who} reported a claim ${Math.round(tookMs)} ms later, promised were ${Math.round(boundMs)}: it waited for its poll`,
    );
}
