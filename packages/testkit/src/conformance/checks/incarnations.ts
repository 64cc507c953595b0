import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { insist } from '../insist.ts';
import { witness } from '../witness.ts';

/** L2. */
export const sameNameIsAnother: Check = defineCheck({
  promise: 'same-name-is-another',
  claim:
    'A member that starts under the name of another is another: it inherits no term, waits for the lease, and leads with a greater token (L2)',
  appliesTo: ({ exclusive }) => exclusive,
  async run(trial) {
    const first = trial.open('a');
    const { role, token } = await trial.leader([first]);
    const second = trial.open('a');
    using seen = witness(first, second);
    await trial.settled('the second is ready', second.ready());
    await watchFor(2 * trial.thresholdMs, () => void seen.insistSound());
    const sees = await trial.until('the second sees who leads', () => (first.role(0).isLeading() ? second.role(0).leader() : undefined));
    insist(!sees.self, 'a member took the leader for itself because it has the same name');
    await trial.settled('the leader resigns', role.resign());
    const next = await trial.leader([second]);
    insist(next.token > token, `the second one's token ${next.token} is not greater than ${token}`);
    seen.insistSound();
  },
});
