// Conformance check of a group whose state an operator deletes.
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { safetyMonitor } from '../safety-monitor.ts';

/** The state of the group is deleted. */
export const stateDeleted: Check = defineCheck({
  id: 'state-deleted-under-way',
  title:
    "After the group's state in the store is deleted, two members never lead at once, a member leads again, and tokens grow (L5, T1)",
  needs: ['delete-state'],
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const sources = ['a', 'b', 'c'].map((member) => context.open(member));
    using seen = safetyMonitor(...sources);
    const before = await context.leader(sources);
    await context.allReady(sources);
    await context.cluster.deleteState?.(context.group);
    // A member that starts now finds no state. It must not conclude that no member leads.
    const late = seen.watch(context.open('late'));
    await watchFor(4 * context.thresholdMs, () => void seen.assertSound());
    const everyone = [...sources, late];
    const leader = await context.leader(everyone);
    await context.settled('the leader closes', leader.source.close());
    const next = await context.leader(everyone.filter((source) => source !== leader.source));
    assert(
      next.token > before.token,
      `after the state was lost a token ${next.token} followed ${before.token}`,
    );
    seen.assertSound();
  },
});
