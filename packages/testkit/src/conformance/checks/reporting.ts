// Conformance checks of `health`: when no member can lead, or requests are refused, it reports that
// and names the cause.
import type { LeadershipErrorCode, LeadershipSource } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { safetyMonitor } from '../safety-monitor.ts';

/** The codes of a trouble that names an unreachable store. */
const unreachableCodes: readonly LeadershipErrorCode[] = ['unreachable', 'no-quorum'];

/** No member reaches the store. */
export const leaderlessWhenCut: Check = defineCheck({
  id: 'health-when-the-store-is-away',
  title:
    'While no member reaches the store, `health().ok` is false on every leader, candidate and observer, and a trouble names the cause',
  needs: ['cut'],
  // Under induction a leader that is cut off continues to lead.
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const { candidates, all } = await candidatesAndObserver(context);
    const cuts = all.map((source) => context.cut(source));
    for (const source of all)
      await unhealthy(context, source, 'the store is away', unreachableCodes);
    for (const cut of cuts) cut[Symbol.dispose]();
    await context.leader(candidates);
    await healthyAgain(context, all);
  },
});

/** Too few voters are reachable. */
export const leaderlessWithoutQuorum: Check = defineCheck({
  id: 'health-when-the-quorum-is-lost',
  title:
    'While no quorum of voters is reachable, `health().ok` is false on every leader, candidate and observer, and a trouble reports `no-quorum`',
  needs: ['lose-quorum'],
  async run(context) {
    const { candidates, all } = await candidatesAndObserver(context);
    const lost = context.loseQuorum();
    for (const source of all) await unhealthy(context, source, 'no quorum is left', ['no-quorum']);
    lost[Symbol.dispose]();
    await context.leader(candidates);
    await healthyAgain(context, all);
  },
});

/** Every member is an observer. */
export const leaderlessWithoutCandidates: Check = defineCheck({
  id: 'health-without-candidates',
  title:
    'When all members only observe, `health().ok` becomes false and a trouble reports `leaderless`; once a candidate leads, `health().ok` is true again',
  async run(context) {
    const observer = context.open('observer', { campaign: false });
    await context.settled('the observer is ready', observer.ready());
    await unhealthy(context, observer, 'no member campaigns', ['leaderless']);
    await context.leader([context.open('candidate')]);
    await healthyAgain(context, [observer]);
  },
});

/** Two processes run under one member name. */
export const duplicateNamesAreReported: Check = defineCheck({
  id: 'health-with-duplicate-names',
  title:
    'On backends where a name identifies one voter, if two live members share a name, `health().ok` is false on the other members and a trouble reports `displaced` with that name; two members never lead at once',
  needs: ['voter-names'],
  async run(context) {
    const other = context.open('b');
    await context.settled('the other is ready', other.ready());
    const both = [context.open('a'), context.open('a')] as const;
    using seen = safetyMonitor(other, ...both);
    const message = await unhealthy(context, other, 'two live members are called "a"', [
      'displaced',
    ]);
    assert(message.includes('"a"'), `the trouble does not name the member: ${message}`);
    await context.settled('one of the two closes', both[0].close());
    await context.leader([other, both[1]]);
    seen.assertSound();
  },
});

/** The store accepts requests and never responds. */
export const leaderlessWhenReadsHang: Check = defineCheck({
  id: 'health-when-reads-hang',
  title:
    'When a read receives no response, `health().ok` becomes false and a trouble names the cause; once reads succeed, a member leads again',
  needs: ['hung-reads'],
  async run(context) {
    const sources = ['a', 'b'].map((member) => context.open(member));
    const leader = await context.leader(sources);
    await context.allReady(sources);
    const { others } = leader;
    const hung = others.map((source) => context.injectFault(source, 'hung-reads'));
    await context.settled('the leader closes', leader.source.close());
    for (const source of others)
      await unhealthy(context, source, 'its reads are never answered', unreachableCodes);
    for (const one of hung) one[Symbol.dispose]();
    await context.leader(others);
  },
});

/** The credentials of a leader expire. */
export const credentialsExpire: Check = defineCheck({
  id: 'credentials-expire',
  title:
    'A leader whose credentials expire stops leading within T and reports `unauthorized`; once the credentials are renewed, it leads again with a greater token (L3)',
  needs: ['expired-credentials'],
  async run(context) {
    const source = context.open('a');
    const { role, token } = await context.leader([source]);
    const expired = context.injectFault(source, 'expired-credentials');
    await unhealthy(context, source, 'its credentials expired', ['unauthorized']);
    await context.until('it no longer leads', () => !role.isLeading());
    expired[Symbol.dispose]();
    const again = await context.until('it leads again', () => role.term());
    assert(
      source.guarantees.tokens === 'none' || again.token > token,
      `the new term's token ${again.token} is not greater than ${token}`,
    );
    await healthyAgain(context, [source]);
  },
});

/** Two candidates, one of which leads, and an observer, all of them ready. */
async function candidatesAndObserver(context: CheckContext): Promise<{
  readonly candidates: readonly LeadershipSource[];
  readonly all: readonly LeadershipSource[];
}> {
  const candidates = ['a', 'b'].map((member) => context.open(member));
  const all = [...candidates, context.open('observer', { campaign: false })];
  await context.leader(candidates);
  await context.allReady(all);
  await healthyAgain(context, all);
  return { candidates, all };
}

/** Resolves with the message of the trouble with one of these codes, once `health()` has it. */
async function unhealthy(
  context: CheckContext,
  source: LeadershipSource,
  why: string,
  codes: readonly LeadershipErrorCode[],
): Promise<string> {
  return context.until(
    `health() of ${source.member} has a trouble (${codes.join(' or ')}): ${why}`,
    () => {
      const { ok, troubles } = source.health();
      const cause = troubles.find(
        ({ code, message }) => codes.includes(code) && message.length > 0,
      );
      return !ok && cause?.message;
    },
  );
}

async function healthyAgain(
  context: CheckContext,
  sources: readonly LeadershipSource[],
): Promise<void> {
  await context.until('health() is good', () => sources.every((source) => source.health().ok));
}
