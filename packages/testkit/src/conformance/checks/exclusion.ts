// Conformance checks that no two members lead at once, whatever happens to the leader.
import type { LeadershipSource } from '@leadership/core';
import type { Check } from '../check.ts';
import type { CheckContext, Leading } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { type SafetyMonitor, safetyMonitor } from '../safety-monitor.ts';

/** How often the leader is disturbed. */
const rounds = 6;

/** Exclusion while members join, leave and resign. */
export const exclusionUnderChurn: Check = defineCheck({
  id: 'exclusion-under-churn',
  title:
    'Two members never lead the same role at once while leaders resign, close and rejoin under the same name; tokens only grow (L1–L6, T1)',
  appliesTo: ({ exclusive }) => exclusive,
  run: (context) =>
    disturbed(context, async (leader, seen, round) => {
      if (round % 2 === 0) await context.settled('the leader resigns', leader.role.resign());
      else await context.settled('the leader closes', leader.source.close());
      return round % 2 === 0 ? leader.source : seen.watch(context.open(leader.source.member));
    }),
});

/** Exclusion while leaders lose and regain the store. */
export const exclusionUnderCuts: Check = defineCheck({
  id: 'exclusion-under-cuts',
  title:
    'Two members never lead the same role at once while leaders are cut off from the store and reconnect; tokens only grow (L3, L5, T1)',
  needs: ['cut'],
  appliesTo: ({ exclusive }) => exclusive,
  run: (context) =>
    disturbed(context, async ({ source }, _seen, round) => {
      const cut = context.cut(source);
      if (round % 2 === 0)
        await context.until(
          'the leader that was cut off no longer leads',
          () => !source.role(0).isLeading(),
        );
      else await new Promise((resolve) => setTimeout(resolve, context.thresholdMs / 2));
      cut[Symbol.dispose]();
      return source;
    }),
});

type Disturbance = (
  leader: Leading,
  seen: SafetyMonitor,
  round: number,
) => Promise<LeadershipSource>;

/**
 * Disturbs the current leader repeatedly. `disturb` returns what takes the place of the leader's
 * source.
 */
async function disturbed(context: CheckContext, disturb: Disturbance): Promise<void> {
  let sources = ['a', 'b', 'c'].map((member) => context.open(member));
  using seen = safetyMonitor(...sources);
  for (let round = 0; round < rounds; round += 1) {
    const leader = await context.leader(sources);
    const next = await disturb(leader, seen, round);
    sources = sources.map((source) => (source === leader.source ? next : source));
    seen.assertSound();
  }
  await context.leader(sources);
  seen.assertSound();
}
