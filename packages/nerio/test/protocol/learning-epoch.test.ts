// The evidence that proves to a member that an epoch runs (N13).
import { expect, test } from 'vitest';
import {
  driftRules,
  type Epoch,
  type Item,
  type MemberState,
  newMember,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed } from '../support/test-members.ts';

const ballot = { round: 1, member: 'a', incarnation: 'a0' };
const next: Epoch = { ...epochOf(['j']), number: 1, tokens: [] };

function started(member: string, epoch: Epoch): MemberState {
  return newMember(
    driftRules,
    selfNamed(member),
    { hardState: { epoch, wedge: undefined }, storesHardState: true },
    momentAt(0),
  );
}

function received(state: MemberState, from: string, item: Item): MemberState {
  return step(
    driftRules,
    state,
    { kind: 'received', from: { member: from, incarnation: `${from}0` }, epoch: 0, item },
    momentAt(1),
  ).state;
}

test('a quorum of acceptances in one ballot proves the epoch to a voter, and one does not (N13)', () => {
  const one = received(started('c', epochOf(['a', 'b', 'c'])), 'a', {
    kind: 'accepted',
    ballot,
    next,
  });
  expect(one.electorate.number).toBe(0);
  expect(
    received(one, 'b', { kind: 'accepted', ballot: { ...ballot, round: 2 }, next }).electorate
      .number,
  ).toBe(0);
  expect(received(one, 'b', { kind: 'accepted', ballot, next }).electorate.number).toBe(1);
});

test('a member that joins does not count acceptances, because its options may name too few members for a quorum (N13)', () => {
  // The epoch is {a, b, c}, of which b and c decide on another one. The pin of j does not show
  // that, because j names only one of them.
  const joining = received(started('j', epochOf(['a'])), 'a', { kind: 'accepted', ballot, next });
  expect(joining.electorate.number).toBe(0);
  expect(received(joining, 'a', { kind: 'running', epoch: next }).electorate.number).toBe(1);
});
