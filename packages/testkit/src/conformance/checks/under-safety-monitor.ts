// The frame of the checks of safety: three members, a fault, and a monitor.
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext, Leading } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { type SafetyMonitor, safetyMonitor } from '../safety-monitor.ts';

/** Three members, one of which leads, and a safety monitor of all of them. */
export interface FaultContext {
  readonly context: CheckContext;
  readonly monitor: SafetyMonitor;
  readonly leader: Leading;
}

/** A check of exclusivity as its file writes it. */
export interface FaultCheck extends Pick<Check, 'id' | 'title' | 'needs'> {
  /**
   * Injects the faults and mends them. Returns a term that began by then: the leader at the end has
   * no smaller token.
   */
  injectFaults(scene: FaultContext): Promise<Leading>;
}

/**
 * Checks that no two members lead during the faults, and that a member leads once they are mended.
 */
export function underSafetyMonitor({ injectFaults, ...rest }: FaultCheck): Check {
  return defineCheck({
    ...rest,
    appliesTo: ({ exclusive }) => exclusive,
    async run(context) {
      const sources = ['a', 'b', 'c'].map((member) => context.open(member));
      using monitor = safetyMonitor(...sources);
      await context.allReady(sources);
      const leader = await context.leader(sources);
      const last = await injectFaults({ context, monitor, leader });
      const { source, token } = await context.leader(sources);
      assert(token >= last.token, `${source.member} leads with token ${token} after ${last.token}`);
      monitor.assertSound();
    },
  });
}
