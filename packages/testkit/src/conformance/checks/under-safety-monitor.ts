import type { LeadershipSource } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext, Leading } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { type SafetyMonitor, safetyMonitor } from '../safety-monitor.ts';

/** Three members, one of which leads, and a witness of all of them. */
export interface Scene {
  readonly trial: CheckContext;
  readonly seen: SafetyMonitor;
  readonly sources: readonly LeadershipSource[];
  readonly leader: Leading;
  readonly others: readonly LeadershipSource[];
}

/** A check of exclusivity as its file writes it. */
export interface SceneDefinition extends Pick<Check, 'id' | 'title' | 'needs'> {
  /**
   * Injects the faults and mends them. Returns a term that began by then: the leader at the end has
   * no smaller token.
   */
  befall(scene: Scene): Promise<Leading>;
}

/**
 * Checks that no two members lead during the faults, and that a member leads once they are mended.
 */
export function underSafetyMonitor({ befall, ...rest }: SceneDefinition): Check {
  return defineCheck({
    ...rest,
    appliesTo: ({ exclusive }) => exclusive,
    async run(trial) {
      const sources = ['a', 'b', 'c'].map((member) => trial.open(member));
      using seen = safetyMonitor(...sources);
      await Promise.all(sources.map((source) => trial.settled('all are ready', source.ready())));
      const leader = await trial.leader(sources);
      const others = sources.filter((source) => source !== leader.source);
      const last = await befall({ trial, seen, sources, leader, others });
      const { source, token } = await trial.leader(sources);
      assert(token >= last.token, `${source.member} leads with token ${token} after ${last.token}`);
      seen.insistSound();
    },
  });
}
