// Conformance checks of the guarantee `continuous`: gaps and overlaps between leaders stay short.
import type { LeadershipSource } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext, Leading } from '../check-context.ts';
import { type Continuity, continuity } from '../continuity.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { beginWork, gate } from '../gate.ts';
import { measureLatency, stallAllowance } from '../latency.ts';
import { successorOf } from '../successor.ts';

/** How often a leader goes. */
const rounds = 4;

const isContinuous: Check['appliesTo'] = ({ exclusive, handover, overlapMsMax }) =>
  !exclusive && handover === 'overlapping' && overlapMsMax !== 'unbounded';

/** I1: planned hand-overs. */
export const continuousHandover: Check = defineCheck({
  id: 'continuous-handover',
  title:
    'While leaders resign, close and rejoin, a member leads at every moment, provided that each hand-over takes less than T minus one beat; two members lead at once for at most `guarantees.overlapMsMax` (I1, I4)',
  appliesTo: isContinuous,
  async run(context) {
    let sources = await ready(context);
    using seen = continuity(context, ...sources);
    for (let round = 0; round < rounds; round += 1) {
      const leader = await context.leader(sources);
      const candidates = [...leader.others];
      const askedAt = performance.now();
      const leaves = round % 2 === 0 ? resigns : closesAndReturns;
      const [stays, tookMs] = await Promise.all([
        leaves(context, seen, leader, candidates),
        ledAfter(context, leader, candidates, askedAt),
      ]);
      sources = [...candidates, ...stays];
      assertBridged(context, seen, tookMs);
    }
  },
});

/** I4: a leader that is cut off. */
export const continuousUnderCuts: Check = defineCheck({
  id: 'continuous-under-cuts',
  title:
    'A leader that is cut off keeps leading until another member leads, provided that T covers `guarantees.failoverMsMax` and one beat; two members lead at once for at most `guarantees.overlapMsMax` (I4)',
  needs: ['cut'],
  appliesTo: isContinuous,
  async run(context) {
    const sources = await ready(context);
    const latencyMs = await measureLatency(context);
    const lost = await context.leader(sources);
    using seen = continuity(context, ...sources);
    context.stall.take();
    using _cut = context.cut(lost.source);
    await context.leader(lost.others);
    await context.until('the one that was cut off no longer leads', () => !lost.role.isLeading());
    seen.assertContinuous(gapMsMax(context, lost, latencyMs));
  },
});

/** I1: work of a leader that has a successor. */
export const continuousDrain: Check = defineCheck({
  id: 'continuous-drain',
  title:
    'Work is asked to end only after another member leads; its term lasts until the work has settled, at most `guarantees.overlapMsMax` after the successor began (I1, H2)',
  appliesTo: isContinuous,
  async run(context) {
    using never = gate();
    const sources = await ready(context);
    const leader = await context.leader(sources);
    const term = beginWork(leader.role, () => never.passed);
    const isLed = (): boolean => leader.others.some((source) => source.role(0).isLeading());
    const reported = new Promise<boolean>((resolve) =>
      term.signal.addEventListener('abort', () => resolve(isLed()), { once: true }),
    );
    const resigned = leader.role.resign();
    const wasLed = await context.settled('the signal of the work aborts', reported);
    if (!wasLed) throw new Inconclusive('the signal of the work aborted before another member led');
    const reportedAt = performance.now();
    await context.until('the term of work that does not end is over', () => !term.isCurrent());
    const { overlapMsMax } = leader.source.guarantees;
    const tookMs = performance.now() - reportedAt - context.stall.longestMs;
    if (typeof overlapMsMax === 'number')
      assert(
        tookMs <= overlapMsMax + context.thresholdMs / 10,
        `two led for ${Math.round(tookMs)} ms, promised were ${overlapMsMax}`,
      );
    await context.settled('the leader has resigned', resigned);
  },
});

/** Three members, all of which know that they are. */
async function ready(context: CheckContext): Promise<readonly LeadershipSource[]> {
  const sources = ['a', 'b', 'c'].map((member) => context.open(member));
  await context.allReady(sources);
  await context.leader(sources);
  return sources;
}

/** How long it took until one of `candidates` led, to which members may be added meanwhile. */
async function ledAfter(
  context: CheckContext,
  leader: Leading,
  candidates: readonly LeadershipSource[],
  askedAt: number,
): Promise<number> {
  await successorOf(context, leader, candidates);
  return performance.now() - askedAt;
}

/**
 * I1: the leader that goes lingers for T from its last proof, which is a beat old at most. A
 * hand-over that took longer left a gap by right, but it took too long: that is excused only where
 * the machine was measured to be starved.
 */
function assertBridged(context: CheckContext, seen: Continuity, tookMs: number): void {
  const bridgedMs = context.thresholdMs - context.thresholdMs / 3;
  if (tookMs <= bridgedMs) return seen.assertContinuous();
  const took = `a hand-over took ${Math.round(tookMs)} ms, T less a beat is ${Math.round(bridgedMs)}`;
  throw new Inconclusive(`${took}: no member led for ${Math.round(seen.longestGapMs)} ms`);
}

/** The leader resigns. Returns it, because it remains a member. */
async function resigns(
  context: CheckContext,
  _seen: Continuity,
  leader: Leading,
): Promise<readonly LeadershipSource[]> {
  await context.settled('the leader resigns', leader.role.resign());
  return [leader.source];
}

/**
 * The leader closes, and a member of that name starts. It is added to `candidates` at once, because
 * on a slow machine it may be the first to lead.
 */
async function closesAndReturns(
  context: CheckContext,
  seen: Continuity,
  leader: Leading,
  candidates: LeadershipSource[],
): Promise<readonly LeadershipSource[]> {
  await context.settled('the leader closes', leader.source.close());
  const again = seen.watch(context.open(leader.source.member));
  candidates.push(again);
  await context.settled('the one that comes back is ready', again.ready());
  return [];
}

/**
 * The longest time without a leader after a leader was cut off: the time of a fail-over, stalls
 * included, and the beats before and after, less T (I4).
 */
function gapMsMax(context: CheckContext, { source }: Leading, latencyMs: number): number {
  const { failoverMsMax } = source.guarantees;
  if (failoverMsMax === 'unbounded') return Number.POSITIVE_INFINITY;
  return Math.max(
    0,
    failoverMsMax +
      context.thresholdMs / 3 +
      latencyMs +
      stallAllowance(context) -
      context.thresholdMs,
  );
}
