// Messages of rounds that are over: released (N5), or followed by another round (N2). A voter that
// stores its grants remembers them across a restart (N4).
import { expect, test } from 'vitest';
import {
  driftRules,
  type Item,
  type MemberState,
  memoryOf,
  type NerioInput,
  newMember,
  type Start,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

const epoch = {
  ...epochOf([]),
  members: [{ member: 'v', stands: false }, { member: 'p' }, { member: 'q' }],
};
const startAt = (at: number): Start => ({ incarnation: 'p0', at, count: 0 });
const request = (at: number): Item => ({
  kind: 'grant-request',
  partition: 0,
  start: startAt(at),
  leaseMs: 1000,
  token: 9n,
  standing: 'claiming',
  successor: -1,
});

function hear(state: MemberState, from: string, item: Item, at: number) {
  const input: NerioInput = {
    kind: 'received',
    from: { member: from, incarnation: `${from}0` },
    epoch: 0,
    item,
  };
  const { state: next, outputs } = step(driftRules, state, input, momentAt(at));
  const said = outputs.flatMap((output) => (output.kind === 'send' ? [output.item] : []));
  return { state: next, answer: said.find(({ kind }) => kind === 'ok' || kind === 'refused') };
}

/** A voter that has granted the round of 10 to p and received its release. */
function released(): MemberState {
  const granted = hear(settled(selfNamed('v'), epoch), 'p', request(10), 20);
  expect(granted.answer).toMatchObject({ kind: 'ok' });
  return hear(granted.state, 'p', { kind: 'release', partition: 0, start: startAt(10) }, 30).state;
}

test('a request of a released round is refused, however late it arrives, and a later one is granted (N5)', () => {
  const state = released();
  for (const at of [5, 10])
    expect(hear(state, 'p', request(at), 40).answer).toMatchObject({
      kind: 'refused',
      why: 'released',
    });
  expect(hear(state, 'p', request(11), 40).answer).toMatchObject({ kind: 'ok' });
});

test('the same is true after a restart of a voter that stores its grants (N4, N5)', () => {
  const memory = memoryOf(released(), 35);
  const reborn = newMember(
    driftRules,
    selfNamed('v', { life: 1 }),
    { hardState: { epoch, wedge: undefined }, memory },
    momentAt(100),
  );
  expect(hear(reborn, 'p', request(10), 110).answer).toMatchObject({
    kind: 'refused',
    why: 'released',
  });
  expect(hear(reborn, 'p', request(11), 110).answer).toMatchObject({ kind: 'ok' });
});

test('a release that overtakes its request is remembered too (N5)', () => {
  const state = hear(
    settled(selfNamed('v'), epoch),
    'p',
    { kind: 'release', partition: 0, start: startAt(10) },
    20,
  ).state;
  expect(hear(state, 'p', request(10), 30).answer).toMatchObject({
    kind: 'refused',
    why: 'released',
  });
});

test('an answer to an earlier round does not elect (N2)', () => {
  const three = epochOf(['a', 'b', 'c']);
  const urged = step(
    driftRules,
    settled(selfNamed('a'), three),
    { kind: 'find', partition: 0, id: 1, timeoutMs: 900 },
    momentAt(1),
  );
  const first = urged.state.claims[0]?.round;
  expect(first).toBeDefined();
  const again = step(driftRules, urged.state, { kind: 'wake' }, momentAt(first?.retryAt ?? 0));
  const second = again.state.claims[0]?.round;
  expect(second?.request.start).not.toEqual(first?.request.start);
  const ok = (start: Start): Item => ({
    kind: 'ok',
    partition: 0,
    start,
    at: { at: 1, count: 0 },
    life: 0,
    waitedMs: 0,
    rival: 0n,
    isEnding: false,
  });
  const at = (first?.retryAt ?? 0) + 1;
  const old = hear(again.state, 'b', ok(first?.request.start ?? startAt(0)), at).state;
  expect(old.claims[0]?.leaseState.kind).toBe('follower');
  const latest = hear(old, 'c', ok(second?.request.start ?? startAt(0)), at + 1).state;
  expect(latest.claims[0]?.leaseState.kind).toBe('leading');
});
