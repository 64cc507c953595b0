// Where nobody can lead, or requests are refused, `health` says so and why.
import type { LeadershipSource } from '@leadership/core';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { insist } from '../insist.ts';
import type { Trial } from '../trial.ts';

/** Nobody reaches the store. */
export const leaderlessWhenCut: Check = defineCheck({
  promise: 'health-when-the-store-is-away',
  claim: 'While no member reaches the store `health().ok` is false on every member, leader or not, and a trouble names the cause',
  needs: ['cut'],
  // An induced leader that is cut off leads on: somebody does.
  appliesTo: ({ exclusive }) => exclusive,
  async run(trial) {
    const sources = ['a', 'b'].map((member) => trial.open(member));
    await trial.leader(sources);
    await Promise.all(sources.map((source) => trial.settled('all are ready', source.ready())));
    const cuts = sources.map((source) => trial.cut(source));
    for (const source of sources) await unwell(trial, source, 'the store is away');
    for (const cut of cuts) cut[Symbol.dispose]();
    await trial.leader(sources);
    await trial.until('health() is good again', () => sources.every((source) => source.health().ok));
  },
});

/** The store takes requests and answers none. */
export const leaderlessWhenReadsHang: Check = defineCheck({
  promise: 'health-when-reads-hang',
  claim:
    'When a read is never answered `health().ok` becomes false and a trouble names the cause; once reads are answered a leader comes again',
  needs: ['hung-reads'],
  async run(trial) {
    const sources = ['a', 'b'].map((member) => trial.open(member));
    const leader = await trial.leader(sources);
    await Promise.all(sources.map((source) => trial.settled('all are ready', source.ready())));
    const others = sources.filter((source) => source !== leader.source);
    const hung = others.map((source) => trial.hamper(source, 'hung-reads'));
    await trial.settled('the leader closes', leader.source.close());
    for (const source of others) await unwell(trial, source, 'its reads are never answered');
    for (const one of hung) one[Symbol.dispose]();
    await trial.leader(others);
  },
});

/** A password that is over. */
export const credentialsExpire: Check = defineCheck({
  promise: 'credentials-expire',
  claim:
    'A leader whose credentials expire believes no longer than T, and `health` names the cause; once they are renewed it leads again with a greater token (L3)',
  needs: ['expired-credentials'],
  async run(trial) {
    const source = trial.open('a');
    const { role, token } = await trial.leader([source]);
    const expired = trial.hamper(source, 'expired-credentials');
    await unwell(trial, source, 'its credentials expired');
    await trial.until('it leads no more', () => !role.isLeading());
    expired[Symbol.dispose]();
    const again = await trial.until('it leads again', () => role.term());
    insist(source.guarantees.tokens === 'none' || again.token > token, `the new term's token ${again.token} is not greater than ${token}`);
    await trial.until('health() is good again', () => source.health().ok);
  },
});

async function unwell(trial: Trial, source: LeadershipSource, why: string): Promise<void> {
  await trial.until(`health() of ${source.member} says what is wrong: ${why}`, () => {
    const { ok, troubles } = source.health();
    return !ok && troubles.some(({ message }) => message.length > 0);
  });
}
