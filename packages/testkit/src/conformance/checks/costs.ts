// Conformance checks of what an idle member costs its store.
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { judgeHandover } from '../latency.ts';
import { successorOf } from '../successor.ts';

/**
 * How many requests a member may send in T, for one partition, while nothing happens: it renews,
 * polls and counts who is there.
 */
const requestsMax = 60;

/** The cost of an idle group. */
export const requestVolume: Check = defineCheck({
  id: 'request-volume',
  title: `While nothing happens a member with one partition sends no more than ${requestsMax} requests in T`,
  needs: ['request-count'],
  // Requests of other checks would be counted too.
  alone: true,
  async run(context) {
    const sources = ['a', 'b', 'c'].map((member) => context.open(member));
    await context.allReady(sources);
    await context.leader(sources);
    const count = (): number => context.cluster.requests?.() ?? 0;
    const [before, beganAt] = [count(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 3 * context.thresholdMs));
    const spans = (performance.now() - beganAt) / context.thresholdMs;
    const each = (count() - before) / sources.length / spans;
    assert(each > 0, 'no request was counted, although the leader renews');
    assert(
      each <= requestsMax,
      `an idle member sent ${Math.round(each)} requests in T, ${requestsMax} are the most`,
    );
  },
});

/** The duration of an orderly hand-over. */
export const handoverInTime: Check = defineCheck({
  id: 'handover-in-time',
  title:
    'When a leader without running work resigns, another member leads in less than T/2 plus the measured stall, without waiting for the lease to expire (L6)',
  appliesTo: ({ handover }) => handover === 'drained',
  async run(context) {
    const sources = ['a', 'b', 'c'].map((member) => context.open(member));
    await context.allReady(sources);
    // A member that lost the race for nothing in effect trusts what it reads from the first renewal
    // on (L11).
    await watchFor(context.thresholdMs / 2, () => undefined);
    const leader = await context.leader(sources);
    await judgeHandover(
      context,
      'the hand-over',
      () => leader.role.resign(),
      () => successorOf(context, leader),
    );
  },
});
