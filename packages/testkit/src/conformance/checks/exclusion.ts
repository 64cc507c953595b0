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
  run: (trial) =>
    disturbed(trial, async (leader, seen, round) => {
      if (round % 2 === 0) await trial.settled('the leader resigns', leader.role.resign());
      else await trial.settled('the leader closes', leader.source.close());
      return round % 2 === 0 ? leader.source : seen.watch(trial.open(leader.source.member));
    }),
});

/** Exclusion while leaders lose and regain the store. */
export const exclusionUnderCuts: Check = defineCheck({
  id: 'exclusion-under-cuts',
  title:
    'Two members never lead the same role at once while leaders are cut off from the store and reconnect; tokens only grow (L3, L5, T1)',
  needs: ['cut'],
  appliesTo: ({ exclusive }) => exclusive,
  run: (trial) =>
    disturbed(trial, async ({ source }, _seen, round) => {
      const cut = trial.cut(source);
      if (round % 2 === 0)
        await trial.until(
          'the leader that was cut off no longer leads',
          () => !source.role(0).isLeading(),
        );
      else await new Promise((resolve) => setTimeout(resolve, trial.thresholdMs / 2));
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
async function disturbed(trial: CheckContext, disturb: Disturbance): Promise<void> {
  let sources = ['a', 'b', 'c'].map((member) => trial.open(member));
  using seen = safetyMonitor(...sources);
  for (let round = 0; round < rounds; round += 1) {
    const leader = await trial.leader(sources);
    const next = await disturb(leader, seen, round);
    sources = sources.map((source) => (source === leader.source ? next : source));
    seen.insistSound();
  }
  await trial.leader(sources);
  seen.insistSound();
}
