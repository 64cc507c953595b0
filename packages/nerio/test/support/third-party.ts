// Random histories of a third party that relies on a leader (N12).
import { seededRandom } from '@leadership/testkit/internal';
import {
  type NerioInput,
  type NerioRules,
  type Sender,
  step,
  type Verdict,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from './test-members.ts';

// p is elected by itself alone, then leads, resigns or is cut off from the world; q, whose clock
// has another rate, asks it at some time, the answer takes some time, and q asks itself at some
// later time whether it may rely on p. All of it is the production step.
const driftRate = 0.05;
const epoch = {
  ...epochOf(['p', 'q']),
  members: [{ member: 'p' }, { member: 'q', votes: false, stands: false }],
};
const pSelf = selfNamed('p', { driftRate });
const qSelf = selfNamed('q', { driftRate });

/**
 * Returns in how many random histories q relied on p while p did not lead, and in how many while p
 * did lead.
 */
export function relied(
  rules: NerioRules,
  count: number,
): { readonly onOthers: number; readonly onLeaders: number } {
  const random = seededRandom(12);
  const between = (low: number, high: number): number => low + random() * (high - low);
  let [onOthers, onLeaders] = [0, 0];
  for (let history = 0; history < count; history += 1) {
    const rateP = between(1 - driftRate, 1 + driftRate);
    const rateQ = between(1 - driftRate, 1 + driftRate);
    const askedAt = between(0, 1500);
    const receivedAt = askedAt + between(0, 60) ** 1.5;
    const endsAt = random() < 0.5 ? receivedAt + between(0, 500) : Number.POSITIVE_INFINITY;
    let p = step(rules, settled(pSelf, epoch, 0, rules), { kind: 'wake' }, momentAt(0)).state;
    const pass = (input: NerioInput, at: number): ReturnType<typeof step> => {
      const result = step(rules, p, input, momentAt(at * rateP));
      p = result.state;
      return result;
    };
    const id = 1;
    const verify = step(
      rules,
      settled(qSelf, epoch, 0, rules),
      { kind: 'verify', partition: 0, member: 'p', id },
      momentAt(askedAt * rateQ),
    );
    const answer = pass(
      { kind: 'received', from: qSelf, epoch: 0, item: { kind: 'verify', partition: 0, id } },
      receivedAt,
    );
    const item = answer.outputs.flatMap((output) =>
      output.kind === 'send' && output.item.kind === 'remainder' ? [output.item] : [],
    )[0];
    if (item === undefined) throw new Error('p does not answer');
    const from: Sender = { member: 'p', incarnation: 'p0' };
    const stepped = step(
      rules,
      verify.state,
      { kind: 'received', from, epoch: 0, item },
      momentAt((receivedAt + between(0, 60)) * rateQ),
    );
    const verdict = stepped.outputs.flatMap((output) =>
      output.kind === 'verified' ? [output.verdict] : [],
    )[0];
    const reliesAt = receivedAt + between(60, 1400);
    if (endsAt < reliesAt) endInOrder(pass, endsAt);
    // A leader that is never woken does not renew; its belief still ends by the clock.
    const { leaseState } = p.claims[0] ?? { leaseState: { kind: 'follower' } };
    const leads = leaseState.kind !== 'follower' && reliesAt * rateP < leaseState.deadline;
    if (verdict === undefined || !mayRely(rules, verdict, reliesAt * rateQ)) continue;
    if (leads) onLeaders += 1;
    else onOthers += 1;
  }
  return { onOthers, onLeaders };
}

function endInOrder(pass: (input: NerioInput, at: number) => unknown, at: number): void {
  pass({ kind: 'resign', partition: 0, atLeastMs: 0 }, at);
  pass({ kind: 'drained', partition: 0 }, at);
}

function mayRely(rules: NerioRules, { startedAt, remainderMs }: Verdict, now: number): boolean {
  return rules.relies(startedAt, remainderMs, now, qSelf);
}
