// Conformance checks of members that never lead.
import type { LeadershipSource } from '@leadership/core';
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
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

/** An observer changes nothing in the store. */
export const observersWriteNothing: Check = defineCheck({
  id: 'observers-write-nothing',
  title:
    'An observer changes nothing in the store: neither before a member has opened its group, which it reports as `unknown-group` and reads as soon as it exists, nor afterwards',
  needs: ['contents'],
  async run(context) {
    const unopened = await contentsOf(context);
    const observer = context.open('observer', { campaign: false });
    await context.settled('the observer is ready', observer.ready());
    await context.until('the observer reports an unknown group', () => isUnknown(observer));
    await watchFor(2 * context.thresholdMs, () => undefined);
    assertSame(unopened, await contentsOf(context), 'that no member had opened');
    const candidate = context.open('candidate');
    await context.leader([candidate]);
    await context.until('the observer sees the leader', () => observer.role(0).leader());
    await context.until('the group is no longer unknown', () => !isUnknown(observer));
    await context.settled('the candidate closes', candidate.close());
    await context.until('the observer sees that no member leads', () => isLeaderless(observer));
    const opened = await contentsOf(context);
    const late = context.open('late', { campaign: false });
    await context.settled('another observer is ready', late.ready());
    await watchFor(2 * context.thresholdMs, () => undefined);
    for (const one of [observer, late]) await context.settled('it closes', one.close());
    assertSame(opened, await contentsOf(context), 'that a member had opened');
  },
});

async function contentsOf({ cluster, group }: CheckContext): Promise<readonly string[]> {
  return [...((await cluster.contents?.(group)) ?? [])].sort();
}

function isUnknown(source: LeadershipSource): boolean {
  return source.health().troubles.some(({ code }) => code === 'unknown-group');
}

function isLeaderless(source: LeadershipSource): boolean {
  return source.role(0).leader() === undefined;
}

function assertSame(before: readonly string[], after: readonly string[], which: string): void {
  const added = after.filter((one) => !before.includes(one));
  const removed = before.filter((one) => !after.includes(one));
  assert(
    added.length + removed.length === 0,
    () =>
      `an observer of a group ${which} has added ${JSON.stringify(added)} to the store and removed ${JSON.stringify(removed)}`,
  );
}
