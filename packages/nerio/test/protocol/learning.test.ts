import { expect, test } from 'vitest';
import { driftRules, type Item, type MemberState, newMember, step } from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed } from '../support/people.ts';

const epoch = epochOf(['a', 'b', 'c', 'd', 'e']);

/** Members that start at these times, without memory, and hear each other at once; nobody stands. As they are at `until`. */
function grown(starts: Readonly<Record<string, number>>, until: number): readonly MemberState[] {
  const members = new Map<string, MemberState>();
  const feed = (name: string, input: Parameters<typeof step>[2], at: number): void => {
    const { state, outputs } = step(driftRules, members.get(name) ?? born(name), input, momentAt(at));
    members.set(name, state);
    for (const output of outputs) {
      if (output.kind !== 'send') continue;
      epoch.members.forEach(({ member }, index) => {
        if ((output.to & (1 << index)) !== 0 && members.has(member)) feed(member, heard(state, output.item), at);
      });
    }
  };
  const born = (name: string): MemberState =>
    newMember(driftRules, selfNamed(name), { vow: { epoch, wedge: undefined } }, momentAt(starts[name] ?? 0));
  const heard = ({ self: { member, incarnation } }: MemberState, item: Item) =>
    ({ kind: 'heard', from: { member, incarnation }, epoch: 0, item }) as const;
  for (let at = 0; at < until; at += 10) {
    for (const [name, startsAt] of Object.entries(starts)) {
      if (at === startsAt) feed(name, { kind: 'campaign', on: false, partition: undefined }, at);
      else if (at > startsAt) feed(name, { kind: 'wake' }, at);
    }
  }
  return [...members.values()];
}

const stillLearning = (members: readonly MemberState[]): readonly string[] =>
  members.filter(({ learning }) => learning !== undefined).map(({ self }) => self.member);

test('where a quorum has forgotten, all of it may grant again while the others are away, not only the first to ask (N16)', () => {
  expect(stillLearning(grown({ a: 0, b: 50, c: 120 }, 5000))).toEqual([]);
});

test('who forgets later still needs members that remember, one of every quorum (N16)', () => {
  expect(stillLearning(grown({ a: 0, b: 50, c: 120, d: 4000 }, 9000))).toEqual([]);
  expect(stillLearning(grown({ a: 0, b: 50 }, 9000))).toEqual(['a', 'b']);
});
