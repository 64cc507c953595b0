// The rules of a voter, one by one: each test fails without its rule.
import { describe, expect, it } from 'vitest';
import { nothingLearnt } from '../../src/protocol/learning.ts';
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
const leaseMs = 1000;
/** The end of a grant of 20. */
const until = 20 + (1 + selfNamed('v').driftRate) * leaseMs;
const startOf = (incarnation: string, at: number): Start => ({ incarnation, at, count: 0 });

/**
 * A voter, fed with messages of candidates. The incarnation of a candidate names it: `p0` is of
 * `p`.
 */
class Voter {
  state: MemberState;

  constructor(state: MemberState = settled(selfNamed('v'), epoch)) {
    this.state = state;
  }

  feed(input: NerioInput, at: number): readonly Item[] {
    const { state, outputs } = step(driftRules, this.state, input, momentAt(at));
    this.state = state;
    return outputs.flatMap((output) => (output.kind === 'send' ? [output.item] : []));
  }

  /** Returns the answer to a request, or the grant of a request that waited. */
  request(incarnation: string, start: number, at: number, token = 9n): Item | undefined {
    const standing = { standing: 'claiming', successor: -1 } as const;
    return this.#answer(
      incarnation,
      {
        kind: 'grant-request',
        partition: 0,
        start: startOf(incarnation, start),
        leaseMs,
        token,
        ...standing,
      },
      at,
    );
  }

  release(incarnation: string, start: number, at: number): void {
    this.#answer(
      incarnation,
      { kind: 'release', partition: 0, start: startOf(incarnation, start) },
      at,
    );
  }

  /** The same voter after a restart with its stored grants. */
  restarted(at: number): Voter {
    const memory = memoryOf(this.state, at);
    return new Voter(
      newMember(
        driftRules,
        selfNamed('v', { life: 1 }),
        { hardState: { epoch, wedge: undefined }, memory },
        momentAt(at),
      ),
    );
  }

  #answer(incarnation: string, item: Item, at: number): Item | undefined {
    const from = { member: incarnation.charAt(0), incarnation };
    return answerIn(this.feed({ kind: 'received', from, epoch: 0, item }, at));
  }
}

const answerIn = (items: readonly Item[]): Item | undefined =>
  items.find(({ kind }) => kind === 'ok' || kind === 'refused');

/** A voter that has granted the round of 10 to p0, with token 9. */
function granted(): Voter {
  const voter = new Voter();
  expect(voter.request('p0', 10, 20)).toMatchObject({ kind: 'ok' });
  return voter;
}

describe('a grant', () => {
  it('ends at F, not after it (N2)', () => {
    expect(granted().request('q0', until - 1, until - 1)).toMatchObject({
      kind: 'refused',
      why: 'held',
    });
    expect(granted().request('q0', until, until)).toMatchObject({ kind: 'ok' });
  });

  it('names the greatest token of other incarnations, also after a tie (N16)', () => {
    const voter = granted();
    expect(voter.request('p0', 11, 21)).toMatchObject({ kind: 'ok', rival: 0n });
    expect(voter.request('q0', until + 1, until + 1)).toMatchObject({ kind: 'ok', rival: 9n });
    // Both have requested token 9, so it belongs to neither of them now.
    expect(voter.request('p0', 3 * until, 3 * until)).toMatchObject({ kind: 'ok', rival: 9n });
  });

  it('is not ended by a release of an earlier round (N5)', () => {
    const voter = granted();
    voter.release('p0', 5, 30);
    expect(voter.request('q0', 40, 40)).toMatchObject({ kind: 'refused', why: 'held' });
  });
});

describe('a release', () => {
  it('stays remembered when one of an earlier round arrives later (N5)', () => {
    const voter = granted();
    voter.release('p0', 10, 30);
    voter.release('p0', 5, 31);
    expect(voter.request('p0', 10, 40)).toMatchObject({ kind: 'refused', why: 'released' });
  });

  it('stays remembered while three later incarnations of the member release too (N5)', () => {
    const voter = new Voter();
    for (const life of [0, 1, 2, 3]) voter.release(`p${life}`, 10, 30);
    for (const life of [0, 1, 2, 3])
      expect(voter.request(`p${life}`, 10, 40)).toMatchObject({ kind: 'refused', why: 'released' });
  });

  it('is forgotten after four later incarnations, so that the memory is bounded', () => {
    const voter = new Voter();
    for (const life of [0, 1, 2, 3, 4, 5]) voter.release(`p${life}`, 10, 30);
    expect(voter.state.grants[0]?.released.map(({ start }) => start.incarnation)).toEqual([
      'p2',
      'p3',
      'p4',
      'p5',
    ]);
  });
});

describe('a request that waits for the end of a lease (N6)', () => {
  it('is granted then', () => {
    const voter = granted();
    voter.request('q0', until - 10, until - 10);
    expect(answerIn(voter.feed({ kind: 'wake' }, until))).toMatchObject({ kind: 'ok' });
  });

  it('is not granted once its own lease would be over', () => {
    const voter = granted();
    voter.request('q0', 30, 30);
    // It waits from 30 on, for a lease of 1000; the grant ends at 1070.
    expect(answerIn(voter.feed({ kind: 'wake' }, until))).toBeUndefined();
  });

  it('is not granted while the epoch is about to end (N13)', () => {
    const voter = granted();
    voter.request('q0', until - 10, until - 10);
    const ballot = { round: 1, member: 'q', incarnation: 'q0' };
    const wedge: Item = { kind: 'wedge', ballot, next: { ...epoch, number: 1, tokens: [] } };
    voter.feed(
      { kind: 'received', from: { member: 'q', incarnation: 'q0' }, epoch: 0, item: wedge },
      until - 5,
    );
    expect(answerIn(voter.feed({ kind: 'wake' }, until))).toBeUndefined();
  });
});

describe('the stored grants (N4)', () => {
  it('keep the greatest token and its incarnation across a restart (N16)', () => {
    const voter = granted().restarted(30);
    expect(voter.request('p0', 31, 31)).toMatchObject({ kind: 'ok', rival: 0n });
    expect(
      granted()
        .restarted(30)
        .request('q0', until + 20, until + 20),
    ).toMatchObject({ kind: 'ok', rival: 9n });
  });

  it('keep the round of the grant, so that a release of an earlier one does not end it (N5)', () => {
    const voter = granted().restarted(30);
    voter.release('p0', 5, 40);
    expect(voter.request('q0', 50, 50)).toMatchObject({ kind: 'refused', why: 'held' });
  });

  it('are not stored by a voter that does not know its own grants', () => {
    const { state } = new Voter();
    expect(memoryOf(state, 10)).toBeDefined();
    expect(memoryOf({ ...state, learning: nothingLearnt(0) }, 10)).toBeUndefined();
    expect(memoryOf({ ...state, mutedUntil: 11 }, 10)).toBeUndefined();
  });

  it('of another epoch are not used', () => {
    const memory = memoryOf(granted().state, 30);
    const next = { ...epoch, number: 1, tokens: [] };
    const started = newMember(
      driftRules,
      selfNamed('v', { life: 1 }),
      { hardState: { epoch: next, wedge: undefined }, memory },
      momentAt(30),
    );
    expect(started.learning).toBeDefined();
    expect(started.mutedUntil).toBe(30 + driftRules.muteMs(started.self));
  });
});

describe('a message of a later epoch', () => {
  it('is not taken for one of this epoch: it causes a query for the epoch (N13)', () => {
    const start = startOf('p0', 10);
    const item: Item = {
      kind: 'grant-request',
      partition: 0,
      start,
      leaseMs,
      token: 9n,
      standing: 'claiming',
      successor: -1,
    };
    const from = { member: 'p', incarnation: 'p0' };
    const { outputs } = step(
      driftRules,
      new Voter().state,
      { kind: 'received', from, epoch: 1, item },
      momentAt(20),
    );
    expect(outputs).toContainEqual({
      kind: 'send-by-name',
      epoch: 0,
      to: ['p'],
      item: { kind: 'ping', beat: 0 },
    });
    expect(
      answerIn(outputs.flatMap((output) => (output.kind === 'send' ? [output.item] : []))),
    ).toBeUndefined();
  });
});

describe('an implausible message is dropped', () => {
  /**
   * The wall clock of the test is at the beginning of 1970, so 2026 and ten years are the limit of
   * a token.
   */
  const limit = driftRules.tokenLimit(0n, 0);
  const isDropped = (state: MemberState, item: Item): boolean => {
    const from = { member: 'p', incarnation: 'p0' };
    const { outputs } = step(
      driftRules,
      state,
      { kind: 'received', from, epoch: 0, item },
      momentAt(20),
    );
    return outputs.some(({ kind }) => kind === 'implausible');
  };
  const asked = (token: bigint): Item => {
    const standing = { standing: 'claiming', successor: -1 } as const;
    return {
      kind: 'grant-request',
      partition: 0,
      start: startOf('p0', 10),
      leaseMs,
      token,
      ...standing,
    };
  };
  const learned = (epochMax: number): Item => ({
    kind: 'learned',
    beat: 1,
    tokens: [],
    remembers: true,
    epochMax,
  });

  it('if its token is above the limit, and not at the limit (N16)', () => {
    const { state } = new Voter();
    expect([isDropped(state, asked(limit)), isDropped(state, asked(limit + 1n))]).toEqual([
      false,
      true,
    ]);
  });

  it('by what this member has requested itself too (N16)', () => {
    const { state } = new Voter();
    const claims = state.claims.map((claim) => ({ ...claim, ownToken: limit + 1n }));
    expect(isDropped({ ...state, claims }, asked(limit + 2n))).toBe(false);
  });

  it('if it names an epoch that no member can have reached (N13)', () => {
    const { state } = new Voter();
    expect([isDropped(state, learned(2 ** 20)), isDropped(state, learned(2 ** 20 + 1))]).toEqual([
      false,
      true,
    ]);
  });
});
