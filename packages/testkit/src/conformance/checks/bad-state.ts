// Conformance checks in which the group's state is deleted, or replaced by an older copy.
import type { LeadershipSource } from '@leadership/core';
import { assert, assertGreater } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { safetyMonitor } from '../safety-monitor.ts';
import { underSafetyMonitor } from './under-safety-monitor.ts';

/** The store is deleted and recreated while the leader is cut off. */
export const deletedWhileAway: Check = underSafetyMonitor({
  id: 'state-deleted-while-away',
  title:
    "When the group's state is deleted and recreated while the leader is cut off, no second member leads at the same time, and later writes of the old leader have no effect (L5)",
  needs: ['cut', 'delete-state'],
  async injectFaults({ context, monitor, leader }) {
    const cut = context.cut(leader.source);
    await context.cluster.deleteState?.(context.group);
    await watchFor(context.thresholdMs, () => void monitor.assertSound());
    const next = await context.leader(leader.others);
    cut[Symbol.dispose]();
    await watchFor(2 * context.thresholdMs, () => void monitor.assertSound());
    assertGreater("the successor's token", next.token, leader.token);
    return next;
  },
});

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
    const next = await context.leader(leader.others);
    assert(
      next.token > before.token,
      `after the state was lost a token ${next.token} followed ${before.token}`,
    );
    seen.assertSound();
  },
});

/** The store is restored from a backup or an outdated replica. */
export const stateGoesBack: Check = defineCheck({
  id: 'state-goes-back',
  title:
    'After the store is restored to an earlier version, the group elects exactly one leader, with a greater token (L5, L11)',
  needs: ['roll-back'],
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const sources = ['a', 'b'].map((member) => context.open(member));
    using seen = safetyMonitor(...sources);
    const before = await context.leader(sources);
    await context.allReady(sources);
    await watchFor(context.thresholdMs, () => void seen.assertSound());
    const { terms } = seen;
    await context.cluster.rollBack?.(context.group, 0);
    await context.until(
      'somebody begins to lead after the store went back',
      () => seen.terms > terms || led(sources) === undefined,
    );
    const after = await context.leader(sources);
    assert(
      after.token > before.token,
      `after the store went back a token ${after.token} followed ${before.token}`,
    );
    await watchFor(2 * context.thresholdMs, () => void seen.assertSound());
  },
});

function led(sources: readonly LeadershipSource[]): LeadershipSource | undefined {
  return sources.find((source) => source.role(0).isLeading());
}

/** Each member configures its own T. */
export const thresholdsDiffer: Check = defineCheck({
  id: 'thresholds-differ',
  title:
    'When members use different values of T, a successor leads only after the T of the previous leader has passed, even if its own T is shorter (L5: T_v is the value written in v)',
  needs: ['cut'],
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const long = 3 * context.thresholdMs;
    const options = { thresholdMsMax: long };
    const slow = context.open('a', { ...options, thresholdMs: long });
    const lost = await context.leader([slow]);
    const quick = ['b', 'c'].map((member) => context.open(member, options));
    using seen = safetyMonitor(slow, ...quick);
    await context.allReady(quick);
    if (!lost.role.isLeading())
      throw new Inconclusive('the leader with the long T lost its term before it was cut off');
    using _cut = context.cut(slow);
    const next = await context.leader(quick);
    seen.assertSound();
    assertGreater("the successor's token", next.token, lost.token);
  },
});
