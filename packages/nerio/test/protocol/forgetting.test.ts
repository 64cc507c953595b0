// A member that does not know what its earlier incarnations did: it has no directory, or has lost
// it.
import { describe, expect, test } from 'vitest';
import {
  afterLoss,
  driftRules,
  type Epoch,
  type InitialInput,
  type Item,
  type MemberState,
  memoryOf,
  type NerioRules,
  newMember,
  type Self,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

/** The voter under test is not a candidate, so all its messages are a voter's. */
const members = [{ member: 'v', stands: false }, { member: 'p' }, { member: 'q' }];
const epochs: readonly Epoch[] = [0, 1, 2].map((number) => ({
  ...epochOf([]),
  number,
  members,
  tokens: number === 0 ? [] : [5n],
}));
const [first, second, third] = epochs as readonly [Epoch, Epoch, Epoch];
const voter = selfNamed('v');
const muteMs = driftRules.muteMs(voter);

function started(
  birth: Omit<InitialInput, 'hardState'> & Partial<InitialInput>,
  at: number,
  rules: NerioRules = driftRules,
): MemberState {
  return newMember(
    rules,
    voter,
    { hardState: { epoch: first, wedge: undefined }, ...birth },
    momentAt(at),
  );
}

/** The messages of the member after an input, and its next state. */
function hear(
  state: MemberState,
  from: string,
  item: Item,
  at: number,
  rules: NerioRules = driftRules,
) {
  const sender = { member: from, incarnation: `${from}0` };
  const input = { kind: 'received', from: sender, epoch: state.electorate.number, item } as const;
  const { state: next, outputs } = step(rules, state, input, momentAt(at));
  return {
    state: next,
    outputs,
    said: outputs.flatMap((output) => (output.kind === 'send' ? [output.item] : [])),
  };
}

/** Both others state that the epoch runs, because one statement does not prove it. */
const enter = (state: MemberState, epoch: Epoch, at: number, rules?: NerioRules): MemberState =>
  ['p', 'q'].reduce(
    (now, name) => hear(now, name, { kind: 'running', epoch }, at, rules).state,
    state,
  );

function request(from: string, at: number): Item {
  const start = { incarnation: `${from}0`, at, count: 0 };
  return {
    kind: 'grant-request',
    partition: 0,
    start,
    leaseMs: 1000,
    token: 9n,
    standing: 'claiming',
    successor: -1,
  };
}

/** The member's answer to a request for the lease. */
const answer = (state: MemberState, at: number, rules?: NerioRules): string | undefined => {
  const said = hear(state, 'p', request('p', at), at, rules).said.find(
    ({ kind }) => kind === 'ok' || kind === 'refused',
  );
  return said?.kind === 'refused' ? said.why : said?.kind;
};

/**
 * Both others have answered the queries for tokens; the members in `later` have accepted another
 * epoch.
 */
function taught(
  state: MemberState,
  at: number,
  later: readonly string[],
  rules: NerioRules = driftRules,
): MemberState {
  const asked = step(rules, state, { kind: 'wake' }, momentAt(at)).state;
  const { number } = asked.electorate;
  return ['p', 'q'].reduce((now, name) => {
    const epochMax = number + (later.includes(name) ? 1 : 0);
    const learned: Item = {
      kind: 'learned',
      beat: asked.learning?.beat ?? 0,
      tokens: [7n],
      remembers: true,
      epochMax,
    };
    return hear(now, name, learned, at, rules).state;
  }, asked);
}

describe('a voter without a directory', () => {
  test('is silent in each epoch that it enters, while its earlier grants may run and until it has learnt the tokens (N4, N16)', () => {
    const entered = enter(started({ storesHardState: false }, 0), second, 10);
    expect(answer(entered, 20)).toBe('muted');
    expect(answer(entered, muteMs + 1)).toBe('muted');
    const knows = taught(entered, muteMs + 1, []);
    expect(answer(knows, muteMs + 2)).toBe('ok');
    expect(knows.grants[0]?.token).toBe(7n);
  });

  test('has nothing to learn in an epoch that certainly began after it had learnt', () => {
    const at = muteMs + 1;
    const sure = taught(enter(started({ storesHardState: false }, 0), second, 10), at, []);
    expect(answer(enter(sure, third, at + 1), at + 2)).toBe('ok');
    const unsure = taught(enter(started({ storesHardState: false }, 0), second, 10), at, [
      'p',
      'q',
    ]);
    expect(answer(unsure, at + 1)).toBe('ok');
    expect(answer(enter(unsure, third, at + 1), at + 2)).toBe('muted');
  });

  test('makes no permanent commitments (N13)', () => {
    const ballot = { round: 1, member: 'p', incarnation: 'p0' };
    const asked = hear(
      { ...settled(voter, first), hardStateStatus: 'none' },
      'p',
      { kind: 'wedge', ballot, next: second },
      10,
    );
    expect(asked.state.wedge ?? asked.state.pendingWedge).toBeUndefined();
  });
});

test('a voter with a stored hard state grants at once in an epoch that it enters, because it cannot have granted there (N13)', () => {
  expect(answer(enter(started({}, 0), second, 10), 20)).toBe('ok');
});

describe('a voter that has lost its directory', () => {
  const lost = { hardState: afterLoss({ epoch: first, wedge: undefined }) };

  test('grants in the next epoch, once it knows that it took part in none after this one (N13)', () => {
    const at = muteMs + 1;
    const sure = taught(started(lost, 0), at, []);
    expect(answer(sure, at)).toBe('ending');
    expect(answer(enter(sure, second, at), at + 1)).toBe('ok');
  });

  test('does not grant in an epoch that it may have helped to end, even if another member is still there (N13)', () => {
    const at = muteMs + 1;
    const rules: NerioRules = { ...driftRules, isLatest: () => true };
    // The member that answers in the first epoch has accepted a second one, to its knowledge; there
    // has been a third.
    expect(answer(enter(taught(started(lost, 0), at, ['q']), second, at), at + 1)).toBe('ending');
    expect(
      answer(enter(taught(started(lost, 0), at, ['q'], rules), second, at, rules), at + 1, rules),
    ).toBe('ok');
  });

  test('does not rely on the grants in an older copy, and still takes part again (N4)', () => {
    const memory = memoryOf(settled(voter, first), 0);
    const restored = started({ ...lost, memory }, 0);
    const at = muteMs + 1;
    expect(restored.learning).toBeDefined();
    expect(answer(enter(taught(restored, at, []), second, at), at + 1)).toBe('ok');
  });

  test('stores the loss, and the last affected epoch once that is known, and neither afterwards (N13)', () => {
    const at = muteMs + 1;
    const asked = step(driftRules, started(lost, 0), { kind: 'wake' }, momentAt(at)).state;
    const learned: Item = { kind: 'learned', beat: 1, tokens: [7n], remembers: true, epochMax: 0 };
    const sure = hear(hear(asked, 'p', learned, at).state, 'q', learned, at);
    expect(sure.outputs).toContainEqual({
      kind: 'persist',
      hardState: { epoch: first, wedge: undefined, lostThrough: 0 },
    });
    const next = hear(
      hear(sure.state, 'q', { kind: 'running', epoch: second }, at).state,
      'p',
      { kind: 'running', epoch: second },
      at,
    );
    expect(next.outputs).toContainEqual({
      kind: 'persist',
      hardState: { epoch: second, wedge: undefined },
    });
    const again = started({ hardState: { epoch: first, wedge: undefined, lostThrough: 0 } }, at);
    expect(answer({ ...again, mutedUntil: at, learning: undefined }, at + 1)).toBe('ending');
  });
});

/**
 * The stored states of a voter whose clock is `ahead`: while another member leads and leaves for a
 * third, and after it has left.
 */
function keptBy(self: Self, ahead: number): readonly MemberState[] {
  const leading: Item = { ...request('p', 5), standing: 'leading' } as Item;
  const leaving: Item = { ...request('p', 6), standing: 'leaving', successor: 0 } as Item;
  const granted = hear(settled(self, first, ahead), 'p', leading, ahead + 10).state;
  const left = hear(granted, 'p', leaving, ahead + 20).state;
  return [
    left,
    hear(
      left,
      'p',
      { kind: 'release', partition: 0, start: { incarnation: 'p0', at: 6, count: 0 } },
      ahead + 30,
    ).state,
  ];
}

test('stores no instant of a clock that ends with the process (N4)', () => {
  const next = (ahead: number) =>
    keptBy(voter, ahead).map(
      (state) =>
        newMember(
          driftRules,
          voter,
          { hardState: { epoch: first, wedge: undefined }, memory: memoryOf(state, ahead + 40) },
          momentAt(0),
        ).grants,
    );
  expect(next(1e6)).toEqual(next(0));
  expect(next(1e6)[0]?.[0]).toMatchObject({ holder: { member: 'p' }, until: 1030 });
});

test('a restart ends the reservation of a lease, because its clock has ended (N6)', () => {
  const self = selfNamed('q');
  const [, left] = keptBy(self, 1e6);
  expect(left?.grants[0]?.keptUntil).toBeGreaterThan(1e6);
  const memory = left && memoryOf(left, 1e6 + 40);
  const again = newMember(
    driftRules,
    self,
    { hardState: { epoch: first, wedge: undefined }, memory },
    momentAt(0),
  );
  expect(again.grants[0]).toMatchObject({
    keptUntil: Number.NEGATIVE_INFINITY,
    isLeaving: false,
    successor: -1,
  });
});
