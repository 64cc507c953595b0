// A member's way to the store in bad order: what adapters get wrong where a request is not simply answered or refused.
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { Disturbed } from '../failure.ts';
import { insist } from '../insist.ts';
import { type Leading, leadingNow } from '../trial.ts';
import { type Scene, underWitness } from './under-witness.ts';

/** A replica that answers in place of the store. */
export const staleReads: Check = underWitness({
  promise: 'exclusion-under-stale-reads',
  claim: 'A member that reads an old state of the store, as from a replica, never leads beside another; tokens only grow (L1, L3, L5)',
  needs: ['stale-reads'],
  async befall({ trial, seen, leader, others }) {
    for (const reader of others.slice(0, 1)) {
      using _stale = trial.hamper(reader, 'stale-reads');
      await trial.settled('the leader closes', leader.source.close());
      await watchFor(3 * trial.thresholdMs, () => void seen.insistSound());
    }
    return leader;
  },
});

/** Writes that take effect without an answer. */
export const lostReplies: Check = underWitness({
  promise: 'exclusion-under-lost-replies',
  claim:
    'When writes take effect and their replies are lost no member leads beside another, and no repeated request costs a successor its term (L3, L4)',
  needs: ['lost-replies'],
  async befall(scene) {
    const { trial, seen, leader, others } = scene;
    const lost = trial.hamper(leader.source, 'lost-replies');
    await watchFor(2 * trial.thresholdMs, () => void seen.insistSound());
    // A leader that learns by reading that it is renewed leads with interruptions, and only a leader writes a release.
    await trial.until('a member leads', () => leadingNow([leader.source, ...others]));
    const resigned = leader.role.resign();
    await keepsItsTerm(scene, await trial.leader(others));
    lost[Symbol.dispose]();
    await trial.settled('the leader has resigned', resigned);
    return leader;
  },
});

/** Writes that arrive after all. */
export const lateWrites: Check = underWitness({
  promise: 'late-writes-change-nothing',
  claim: 'Writes of a leader that arrive after another has followed it change nothing: the successor keeps its term (L4)',
  needs: ['late-writes'],
  async befall(scene) {
    const { trial, seen, leader, others } = scene;
    const late = trial.hamper(leader.source, 'late-writes');
    const next = await trial.leader(others);
    // One renewal has to be in effect: only then a late write names what is not current any more.
    await watchFor(trial.thresholdMs / 2, () => void seen.insistSound());
    late[Symbol.dispose]();
    await keepsItsTerm(scene, next);
    return next;
  },
});

/** A leader whose writes do not arrive. */
export const cutFromWriting: Check = underWitness({
  promise: 'exclusion-when-writes-are-cut',
  claim: 'A leader that can read and not write believes no longer than T, and another follows with a greater token (L3, L5)',
  needs: ['writes-cut'],
  async befall({ trial, seen, leader, others }) {
    using _cut = trial.hamper(leader.source, 'writes-cut');
    const next = await trial.leader(others);
    seen.insistSound();
    insist(next.token > leader.token, `the successor's token ${next.token} is not greater than ${leader.token}`);
    return next;
  },
});

/** A former leader that writes without reading. */
export const cutFromReading: Check = underWitness({
  promise: 'exclusion-when-reads-are-cut',
  claim: 'A former leader that can write again before it can read never leads beside its successor, which keeps its term (L3, L5)',
  needs: ['reads-cut', 'writes-cut'],
  async befall(scene) {
    const { trial, leader, others } = scene;
    using _deaf = trial.hamper(leader.source, 'reads-cut');
    const mute = trial.hamper(leader.source, 'writes-cut');
    const next = await trial.leader(others);
    mute[Symbol.dispose]();
    await keepsItsTerm(scene, next);
    return next;
  },
});

/** The term of a successor goes on, whatever its predecessor had under way. */
async function keepsItsTerm({ trial, seen }: Scene, { role, token }: Leading): Promise<void> {
  await watchFor(2 * trial.thresholdMs, () => {
    seen.insistSound();
    if (role.term()?.token === token) return undefined;
    throw new Disturbed('a successor lost its term to a write of its predecessor, which ought to change nothing');
  });
}
