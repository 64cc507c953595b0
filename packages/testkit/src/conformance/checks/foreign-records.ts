// Conformance checks with records of other releases in the store.
import type { LeadershipSource } from '@leadership/core';
import { assert, assertGreater } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { type SafetyMonitor, safetyMonitor } from '../safety-monitor.ts';

/** L1, L8: records written by another release. */
export const mixedVersions: Check = defineCheck({
  id: 'mixed-record-versions',
  title:
    'A record written by another release, with any kind and any additional fields, takes effect for every member: no other member leads until its T has passed (L1, L8)',
  needs: ['other-release'],
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const sources = ['a', 'b'].map((member) => context.open(member));
    using seen = safetyMonitor(...sources);
    for (const kind of ['hold', 'kind-of-a-later-release'])
      await strangerHolds(context, sources, seen, kind);
  },
});

async function strangerHolds(
  context: CheckContext,
  sources: readonly LeadershipSource[],
  seen: SafetyMonitor,
  kind: string,
): Promise<void> {
  const holdMs = 2 * context.thresholdMs;
  const { token } = await context.leader(sources);
  const { terms } = seen;
  const putAt = performance.now();
  await context.cluster.putOtherRelease?.(context.group, 0, kind, holdMs);
  await context.until(
    `a leader is fenced by a ${kind} of another release`,
    () => seen.terms > terms || sources.every((source) => !source.role(0).isLeading()),
  );
  const next = await context.leader(sources);
  const heldMs = performance.now() - putAt;
  assert(
    heldMs >= holdMs,
    `a ${kind} of another release was in effect for ${Math.round(heldMs)} ms, not for its T of ${holdMs}`,
  );
  assertGreater('the next token', next.token, token);
  seen.assertSound();
}

/** L1: data that is not a valid record. */
export const hostileRecords: Check = defineCheck({
  id: 'hostile-records',
  title:
    'Garbage in place of a record has no effect and is counted in `health`; the group has one leader before and after (L1)',
  needs: ['garbage'],
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const sources = ['a', 'b'].map((member) => context.open(member));
    using seen = safetyMonitor(...sources);
    await context.leader(sources);
    await context.cluster.putGarbage?.(context.group, 0);
    await context.until('garbage is counted in health()', () => sources.some(ignoresSomething));
    const leader = await context.leader(sources);
    await context.settled('the leader resigns', leader.role.resign());
    const next = await context.leader(sources);
    assertGreater('the next token', next.token, leader.token);
    seen.assertSound();
  },
});

function ignoresSomething(source: LeadershipSource): boolean {
  return Object.values(source.health().ignored).some((count) => count > 0);
}
