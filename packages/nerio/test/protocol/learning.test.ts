import { expect, test } from 'vitest';
import { driftRules, type Item, type MemberState, newMember, step } from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed } from '../support/test-members.ts';

const five = ['a', 'b', 'c', 'd', 'e'];

/** The periods in which the incarnations of each member run; the last one has no end by default. */
type Lives = Readonly<Record<string, readonly (readonly [from: number, to?: number])[]>>;

/**
 * Runs members for these periods, without memory across incarnations, with immediate messages and
 * no candidates. Returns those that run at `until`.
 */
function grown(
  lives: Lives,
  until: number,
  names: readonly string[] = five,
): readonly MemberState[] {
  const epoch = epochOf(names);
  const members = new Map<string, MemberState>();
  const feed = (name: string, input: Parameters<typeof step>[2], at: number): void => {
    const before = members.get(name);
    if (before === undefined) return;
    const { state, outputs } = step(driftRules, before, input, momentAt(at));
    members.set(name, state);
    for (const output of outputs) {
      if (output.kind !== 'send') continue;
      names
        .filter((_, index) => (output.to & (1 << index)) !== 0)
        .forEach((to) => feed(to, received(state, output.item), at));
    }
  };
  const received = ({ self: { member, incarnation } }: MemberState, item: Item) =>
    ({ kind: 'received', from: { member, incarnation }, epoch: 0, item }) as const;
  for (let at = 0; at < until; at += 10) {
    for (const [name, all] of Object.entries(lives)) {
      const life = all.findIndex(([from]) => from === at);
      if (all.some(([, to]) => to === at)) members.delete(name);
      else if (life < 0) feed(name, { kind: 'wake' }, at);
      else {
        members.set(
          name,
          newMember(
            driftRules,
            selfNamed(name, { life }),
            { hardState: { epoch, wedge: undefined } },
            momentAt(at),
          ),
        );
        feed(name, { kind: 'campaign', on: false, partition: undefined }, at);
      }
    }
  }
  return [...members.values()];
}

const stillLearning = (members: readonly MemberState[]): readonly string[] =>
  members.filter(({ learning }) => learning !== undefined).map(({ self }) => self.member);

test('if a quorum lost its memory, all of its voters may grant again while the others are absent, not only the first to ask (N16)', () => {
  expect(stillLearning(grown({ a: [[0]], b: [[50]], c: [[120]] }, 5000))).toEqual([]);
});

test('a member that forgets later still needs members with memory, one of every quorum (N16)', () => {
  expect(stillLearning(grown({ a: [[0]], b: [[50]], c: [[120]], d: [[4000]] }, 9000))).toEqual([]);
  expect(stillLearning(grown({ a: [[0]], b: [[50]] }, 9000))).toEqual(['a', 'b']);
});

test('a late member that loses one of its sources waits until all are back, with or without memory (N16)', () => {
  const late: Lives = { a: [[0, 4000]], b: [[50]], c: [[3900]] };
  const three = ['a', 'b', 'c'];
  expect(stillLearning(grown(late, 20_000, three))).toEqual(['c']);
  expect(stillLearning(grown({ ...late, a: [[0, 4000], [20_000]] }, 25_000, three))).toEqual([]);
  // Two of five that are absent leave a majority, of which two must learn. One of them back is not
  // enough; both are.
  const fleet: Lives = { a: [[0, 5000]], b: [[50, 5000]], c: [[120]], d: [[4000]], e: [[4000]] };
  expect(stillLearning(grown(fleet, 20_000))).toEqual(['d', 'e']);
  expect(
    stillLearning(grown({ ...fleet, a: [[0, 5000], [20_000]], b: [[50, 5000], [20_000]] }, 25_000)),
  ).toEqual([]);
});
