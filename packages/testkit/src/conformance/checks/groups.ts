// Conformance checks with several groups on one backend.
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { leadingNow } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';

/** I6: two groups on one backend. */
export const groupsDoNotInteract: Check = defineCheck({
  id: 'groups-do-not-interact',
  title:
    'Two groups on one backend are independent: each elects its own leader, and events in one group do not affect the other (I6)',
  async run(context) {
    const one = context.open('a');
    const other = context.open('b', { group: `${context.group}-too` });
    await context.leader([one]);
    const { role, token } = await context.leader([other]);
    await context.until('both lead at once', () => one.role(0).isLeading() && role.isLeading());
    assert(
      one.roster().get(0)?.member === 'a' && other.roster().get(0)?.member === 'b',
      'the roster of one group shows the leader of the other',
    );
    await context.settled('the leader of one group resigns', one.role(0).resign());
    await context.settled('the only member of one group closes', one.close());
    await watchFor(context.thresholdMs, () => {
      const now = leadingNow([other]);
      if (now?.token !== token)
        throw new Inconclusive('what happened in one group ended a term in the other');
      return undefined;
    });
  },
});
