import { describe, expect, test } from 'vitest';
import {
  driftRules,
  type Item,
  type MemberState,
  type NerioRules,
  newMember,
  type Self,
  skewRules,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

/** The voter under test is not a candidate, so all its messages are a voter's. */
const epoch = {
  ...epochOf(['a', 'b', 'c']),
  members: [{ member: 'a' }, { member: 'b', stands: false }, { member: 'c' }],
};
const voter = selfNamed('b');
const p = { member: 'a', incarnation: 'a0' };
const other = { member: 'c', incarnation: 'c0' };

function request(
  at: number,
  changes: Partial<Extract<Item, { kind: 'grant-request' }>> = {},
  incarnation = 'a0',
): Item {
  return {
    kind: 'grant-request',
    partition: 0,
    start: { incarnation, at, count: 0 },
    leaseMs: 1000,
    token: 1n,
    standing: 'claiming',
    successor: -1,
    ...changes,
  };
}

function release(at: number, incarnation = 'a0'): Item {
  return { kind: 'release', partition: 0, start: { incarnation, at, count: 0 } };
}

/** The answers of the voter, and its next state. */
function hear(
  state: MemberState,
  from: Self | typeof p,
  item: Item,
  at: number,
  rules: NerioRules = driftRules,
): { state: MemberState; said: Item[] } {
  const { state: next, outputs } = step(
    rules,
    state,
    { kind: 'received', from, epoch: 0, item },
    momentAt(at, at * 1000),
  );
  const said = outputs.flatMap((output) =>
    output.kind === 'send' && output.item.kind !== 'ping' ? [output.item] : [],
  );
  return { state: next, said };
}

function grantIn({ grants }: MemberState): MemberState['grants'][number] {
  const [grant] = grants;
  if (grant === undefined) throw new Error('the partition does not exist');
  return grant;
}

describe('a voter', () => {
  test('grants for (1 + ρ) δ from its own clock at the grant (N2)', () => {
    const { state, said } = hear(settled(voter, epoch), p, request(5), 100);
    expect(said).toMatchObject([{ kind: 'ok', at: { at: 100 } }]);
    expect(grantIn(state)).toMatchObject({ holder: p, until: 1150, start: { at: 5 } });
  });

  test('never shortens a grant, and keeps the later of two rounds (N2)', () => {
    const once = hear(settled(voter, epoch), p, request(5, { leaseMs: 2000 }), 100).state;
    const again = hear(once, p, request(3, { leaseMs: 100 }), 110).state;
    expect(grantIn(again)).toMatchObject({ until: 2200, start: { at: 5 } });
  });

  test('refuses another candidate while the lease runs, names the holder and the remaining time, and grants after the lease (N2, N6, N7)', () => {
    const held = hear(settled(voter, epoch), p, request(5), 100).state;
    const refused = hear(held, other, request(7, {}, 'c0'), 400);
    expect(refused.said).toMatchObject([{ kind: 'refused', why: 'held', holder: p, forMs: 750 }]);
    const later = step(driftRules, refused.state, { kind: 'wake' }, momentAt(1150));
    expect(grantIn(later.state)).toMatchObject({ holder: other, until: 2200 });
    const [oldest] = later.outputs.flatMap((output) =>
      output.kind === 'send' && output.item.kind === 'ok' ? [output.item] : [],
    );
    expect(oldest).toMatchObject({ at: { at: 1150 }, waitedMs: 750 });
  });

  test('keeps one request per candidate, the latest (N6)', () => {
    let { state } = hear(settled(voter, epoch), p, request(5), 100);
    for (const at of [7, 9, 8]) ({ state } = hear(state, other, request(at, {}, 'c0'), 400 + at));
    expect(grantIn(state).queue.map(({ request: { start } }) => start.at)).toEqual([9]);
  });

  test('treats another incarnation of the holder as another holder (N2)', () => {
    const held = hear(settled(voter, epoch), p, request(5), 100).state;
    const { said } = hear(held, { member: 'a', incarnation: 'a1' }, request(7, {}, 'a1'), 400);
    expect(said).toMatchObject([{ kind: 'refused', why: 'held' }]);
  });

  test.each<readonly [string, Item, string]>([
    ['of an earlier round', release(4), 'a0'],
    ['of another life', release(99, 'a1'), 'a1'],
  ])('ignores a release %s (N5)', (_what, item, incarnation) => {
    const held = hear(settled(voter, epoch), p, request(5), 100).state;
    expect(grantIn(hear(held, { member: 'a', incarnation }, item, 200).state).holder).toEqual(p);
  });

  test('ends a grant at the release of its round, and refuses that round for good, in either order of arrival (N5)', () => {
    const released = hear(
      hear(settled(voter, epoch), p, request(5), 100).state,
      p,
      release(5),
      200,
    ).state;
    expect(grantIn(released).holder).toBeUndefined();
    expect(hear(released, p, request(5), 300).said).toMatchObject([
      { kind: 'refused', why: 'released' },
    ]);
    const early = hear(settled(voter, epoch), p, release(5), 100).state;
    expect(hear(early, p, request(4), 200).said).toMatchObject([
      { kind: 'refused', why: 'released' },
    ]);
    expect(hear(early, p, request(6), 200).said).toMatchObject([{ kind: 'ok' }]);
  });

  test('refuses a lease above the maximum (N2), and a clock that is too far ahead (N3)', () => {
    expect(hear(settled(voter, epoch), p, request(5, { leaseMs: 2001 }), 100).said).toMatchObject([
      { why: 'too-long' },
    ]);
    const synchronised = settled(selfNamed('b', { skewMs: 50 }), epoch, 0, skewRules);
    expect(hear(synchronised, p, request(151), 100, skewRules).said).toMatchObject([
      { why: 'skew' },
    ]);
    expect(hear(synchronised, p, request(150), 100, skewRules).said).toMatchObject([
      { kind: 'ok' },
    ]);
  });

  test('records no leader that requests a lease above the maximum, because no voter grants it (N2, N11)', () => {
    const lasting = (leaseMs: number): Item =>
      request(5, { standing: 'leading', token: 4n, leaseMs });
    expect(grantIn(hear(settled(voter, epoch), p, lasting(2000), 100).state).leader).toEqual({
      ...p,
      token: 4n,
    });
    const longer = hear(settled(voter, epoch), p, lasting(2001), 100);
    expect(longer.said).toMatchObject([{ why: 'too-long' }]);
    expect(grantIn(longer.state)).toMatchObject({ leader: undefined, holder: undefined });
  });

  test('without memory grants nothing before its silence is over and it knows the greatest token (N4, N16)', () => {
    const started = newMember(
      driftRules,
      voter,
      { hardState: { epoch, wedge: undefined } },
      momentAt(0),
    );
    const muted = hear(started, p, request(5), 100);
    expect(muted.said).toMatchObject([{ kind: 'refused', why: 'muted', forMs: 2000 }]);
    const asks = step(driftRules, muted.state, { kind: 'wake' }, momentAt(2100));
    expect(asks.outputs).toContainEqual(
      expect.objectContaining({ item: { kind: 'learn', beat: 1 } }),
    );
    const learned = {
      kind: 'learned',
      beat: 1,
      tokens: [7n],
      remembers: true,
      epochMax: 0,
    } as const;
    const half = hear(asks.state, p, learned, 2110);
    expect(hear(half.state, p, request(6), 2120).said).toMatchObject([{ why: 'muted' }]);
    const whole = hear(half.state, other, { ...learned, tokens: [5n] }, 2130);
    expect(hear(whole.state, p, request(8), 2140).said).toMatchObject([{ kind: 'ok', rival: 7n }]);
  });

  test('answers with the greatest token that it granted to others, and keeps no trace of refused requests (N16)', () => {
    let { state } = hear(settled(voter, epoch), p, request(5, { token: 4n }), 100);
    ({ state } = hear(state, other, request(7, { token: 9n }, 'c0'), 110));
    expect(hear(state, p, request(8, { token: 4n }), 120).said).toMatchObject([{ rival: 0n }]);
    ({ state } = hear(state, other, release(9, 'c0'), 130));
    ({ state } = hear(state, p, release(9), 140));
    expect(hear(state, other, request(10, { token: 5n }, 'c0'), 150).said).toMatchObject([
      { rival: 4n },
    ]);
  });
});
