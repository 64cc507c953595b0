// Conformance checks with several processes under one member name.
import type { Leader, LeadershipSource } from '@leadership/core';
import { assert, assertGreater } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { type Leading, leadingNow } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { safetyMonitor } from '../safety-monitor.ts';
import { successorOf } from '../successor.ts';

/** L2: two members with the same name. */
export const sameNameIsAnother: Check = defineCheck({
  id: 'same-name-is-another',
  title:
    'A member that starts with the name of another member is a separate incarnation: it inherits no term, waits for the lease, and leads with a greater token (L2)',
  needs: ['duplicate-names'],
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const both = [context.open('a'), context.open('a')] as const;
    using seen = safetyMonitor(...both);
    await context.allReady(both);
    await watchFor(2 * context.thresholdMs, () => void seen.assertSound());
    const { leading, other, sees } = await context.until(
      'the one that does not lead sees who does',
      () => sightOf(both),
    );
    assert(!sees.self, 'a member took the leader for itself because it has the same name');
    await context.settled('the leader resigns', leading.role.resign());
    const next = await successorOf(context, leading, [other]);
    assertGreater("the second one's token", next.token, leading.token);
    seen.assertSound();
  },
});

/** The leader, and the leader that the other member sees. */
function sightOf(both: readonly [LeadershipSource, LeadershipSource]): Sight | undefined {
  const leading = leadingNow(both);
  const other = leading?.source === both[0] ? both[1] : both[0];
  const sees = other.role(0).leader();
  return leading && sees && { leading, other, sees };
}

interface Sight {
  readonly leading: Leading;
  readonly other: LeadershipSource;
  readonly sees: Leader;
}
