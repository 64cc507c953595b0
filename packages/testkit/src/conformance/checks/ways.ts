// A member's way to the store in bad order: what adapters get wrong where a request is not simply answered or refused.
import type { LeadershipSource } from '@leadership/core';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Disturbed } from '../failure.ts';
import { insist } from '../insist.ts';
import type { Leading, Trial } from '../trial.ts';
import { type Witness, witness } from '../witness.ts';

const isExclusive: Check['appliesTo'] = ({ exclusive }) => exclusive;

/** A replica that answers in place of the store. */
export const staleReads: Check = defineCheck({
  promise: 'exclusion-under-stale-reads',
  claim: 'A member that reads an old state of the store, as from a replica, never leads beside another; tokens only grow (L1, L3, L5)',
  needs: ['stale-reads'],
  appliesTo: isExclusive,
  async run(trial) {
    const { sources, seen } = await members(trial);
    using _seen = seen;
    const [first, sleeper] = sources as readonly [LeadershipSource, LeadershipSource];
    const leader = await trial.leader(sources);
    const reader = leader.source === sleeper ? first : sleeper;
    const stale = trial.hamper(reader, 'stale-reads');
    await trial.settled('the leader closes', leader.source.close());
    await watchFor(3 * trial.thresholdMs, () => void seen.insistSound());
    stale[Symbol.dispose]();
    await leadsOn(
      trial,
      seen,
      sources.filter((source) => source !== leader.source),
      leader,
    );
  },
});

/** Writes that take effect without anybody being told. */
export const lostReplies: Check = defineCheck({
  promise: 'exclusion-under-lost-replies',
  claim:
    'When writes take effect and their replies are lost nobody leads beside another, and no repeated request costs a successor its term (L3, L4)',
  needs: ['lost-replies'],
  appliesTo: isExclusive,
  async run(trial) {
    const { sources, seen } = await members(trial);
    using _seen = seen;
    const leader = await trial.leader(sources);
    const lost = trial.hamper(leader.source, 'lost-replies');
    await watchFor(2 * trial.thresholdMs, () => void seen.insistSound());
    const resigned = leader.role.resign();
    const next = await trial.leader(sources.filter((source) => source !== leader.source));
    await keepsItsTerm(trial, seen, next);
    lost[Symbol.dispose]();
    await trial.settled('the leader has resigned', resigned);
    await leadsOn(trial, seen, sources, leader);
  },
});

/** Writes that arrive after all. */
export const lateWrites: Check = defineCheck({
  promise: 'late-writes-change-nothing',
  claim: 'Writes of a leader that arrive after another has followed it change nothing: the successor keeps its term (L4)',
  needs: ['late-writes'],
  appliesTo: isExclusive,
  async run(trial) {
    const { sources, seen } = await members(trial);
    using _seen = seen;
    const leader = await trial.leader(sources);
    const late = trial.hamper(leader.source, 'late-writes');
    const next = await trial.leader(sources.filter((source) => source !== leader.source));
    // One renewal has to be in effect: only then a late write names what is not current any more.
    await watchFor(trial.thresholdMs / 2, () => void seen.insistSound());
    late[Symbol.dispose]();
    await keepsItsTerm(trial, seen, next);
    await leadsOn(trial, seen, sources, next);
  },
});

/** Half a connection. */
export const oneWayCuts: Check = defineCheck({
  promise: 'exclusion-under-one-way-cuts',
  claim:
    'A leader that can read and not write believes no longer than T, and another follows; one that can write and not read never leads beside another (L3, L5)',
  needs: ['reads-cut', 'writes-cut'],
  appliesTo: isExclusive,
  async run(trial) {
    const { sources, seen } = await members(trial);
    using _seen = seen;
    const mute = await trial.leader(sources);
    const writes = trial.hamper(mute.source, 'writes-cut');
    const next = await trial.leader(sources.filter((source) => source !== mute.source));
    seen.insistSound();
    writes[Symbol.dispose]();
    const deaf = await trial.leader(sources);
    const reads = trial.hamper(deaf.source, 'reads-cut');
    await watchFor(2 * trial.thresholdMs, () => void seen.insistSound());
    reads[Symbol.dispose]();
    insist(next.token > mute.token, `the successor's token ${next.token} is not greater than ${mute.token}`);
    await leadsOn(trial, seen, sources, deaf);
  },
});

/** Three members that are ready, one of which leads. */
async function members(trial: Trial): Promise<{ readonly sources: readonly LeadershipSource[]; readonly seen: Witness }> {
  const sources = ['a', 'b', 'c'].map((member) => trial.open(member));
  const seen = witness(...sources);
  await Promise.all(sources.map((source) => trial.settled('all are ready', source.ready())));
  await trial.leader(sources);
  return { sources, seen };
}

/** The term of a successor goes on, whatever its predecessor had under way. */
async function keepsItsTerm(trial: Trial, seen: Witness, { role, token }: Leading): Promise<void> {
  await watchFor(2 * trial.thresholdMs, () => {
    seen.insistSound();
    if (role.term()?.token === token) return undefined;
    throw new Disturbed('a successor lost its term to a write of its predecessor that arrived late');
  });
}

/** Once all is well again somebody leads, with a token that is no smaller than the last one's. */
async function leadsOn(trial: Trial, seen: Witness, sources: readonly LeadershipSource[], before: Leading): Promise<void> {
  const { source, token } = await trial.leader(sources);
  insist(token >= before.token, `${source.member} leads with token ${token} after ${before.token}`);
  seen.insistSound();
}
