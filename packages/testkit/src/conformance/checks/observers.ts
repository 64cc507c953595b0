import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';
import { safetyMonitor } from '../safety-monitor.ts';

/** Observers (`campaign: false`). */
export const observersNeverLead: Check = defineCheck({
  id: 'observers-never-lead',
  title:
    'A member that does not campaign never leads, even as the only member, and it observes the current leader',
  async run(context) {
    const observer = context.open('observer', { campaign: false });
    const role = observer.role(0);
    using states = recorded(role.leadership$);
    using seen = safetyMonitor(observer);
    await context.settled('the observer is ready', observer.ready());
    const { failoverMsMax } = observer.guarantees;
    const aloneMs = failoverMsMax === 'unbounded' ? 3 * context.thresholdMs : 2 * failoverMsMax;
    await watchFor(aloneMs, () =>
      role.isLeading() ? 'an observer led, once it was alone' : undefined,
    );
    const candidate = context.open('candidate');
    await context.leader([candidate]);
    // A starved candidate may lose its term and lead again: only its present term counts.
    const leader = await context.until('the observer sees the present term of the leader', () => {
      const known = role.leader();
      return known?.token === candidate.role(0).term()?.token ? known : undefined;
    });
    assert(
      leader.member === 'candidate' && !leader.self,
      `the observer sees ${leader.member} lead with ${leader.token}`,
    );
    await context.settled('the candidate closes', candidate.close());
    await context.until(
      'the observer sees that no member leads',
      () => role.leader() === undefined,
    );
    await watchFor(context.thresholdMs, () =>
      role.isLeading() ? 'an observer led, once the leader was gone' : undefined,
    );
    assert(seen.terms === 0, 'an observer received a term of its own');
    assert(
      states.values.every(({ state }) => state === 'observing'),
      'leadership$ of an observer said something else than observing',
    );
  },
});
