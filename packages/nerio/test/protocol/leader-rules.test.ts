// The rules of a candidate and of a leader, one by one: each test fails without its rule.
import { describe, expect, it } from 'vitest';
import {
  driftRules,
  type Item,
  type MemberState,
  type NerioInput,
  type NerioOutput,
  newMember,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

const self = selfNamed('a');
const three = epochOf(['a', 'b', 'c']);
/** `a` is a quorum by itself, and leads from its first step on. */
const alone = epochOf(['a', 'b'], { kind: 'weights', weights: { a: 2 } });

/** A member, fed with inputs. */
class Member {
  state: MemberState;

  constructor(state: MemberState) {
    this.state = state;
  }

  feed(input: NerioInput, at: number): readonly NerioOutput[] {
    const { state, outputs } = step(driftRules, this.state, input, momentAt(at));
    this.state = state;
    return outputs;
  }

  hear(from: string, item: Item, at: number): readonly NerioOutput[] {
    return this.feed(
      { kind: 'received', from: { member: from, incarnation: `${from}0` }, epoch: 0, item },
      at,
    );
  }

  get claim(): MemberState['claims'][number] {
    const [claim] = this.state.claims;
    if (claim === undefined) throw new Error('the group has a partition');
    return claim;
  }

  get round() {
    const { round } = this.claim;
    if (round === undefined) throw new Error('a round is under way');
    return round;
  }

  /** The answer of a voter that grants the round. */
  ok(rival = 0n): Item {
    const { start } = this.round.request;
    return {
      kind: 'ok',
      partition: 0,
      start,
      at: { at: 1, count: 0 },
      life: 0,
      waitedMs: 0,
      rival,
      isEnding: false,
    };
  }

  refused(start = this.round.request.start): Item {
    return {
      kind: 'refused',
      partition: 0,
      start,
      why: 'held',
      holder: undefined,
      isLeaving: false,
      forMs: 500,
    };
  }
}

const kinds = (outputs: readonly NerioOutput[]) => outputs.map(({ kind }) => kind);
const sent = (outputs: readonly NerioOutput[], kind: Item['kind']): readonly Item[] =>
  outputs.flatMap((output) =>
    output.kind === 'send' && output.item.kind === kind ? [output.item] : [],
  );

/** A candidate of three whose first round began at 1. */
function candidate(state: MemberState = settled(self, three)): Member {
  const member = new Member(state);
  member.feed({ kind: 'find', partition: 0, id: 1, timeoutMs: 900 }, 1);
  return member;
}

/** A member that leads alone since 0. */
function leader(): Member {
  const member = new Member(settled(self, alone));
  expect(kinds(member.feed({ kind: 'wake' }, 0))).toContain('granted');
  return member;
}

describe('a round', () => {
  it('does not count refusals of an earlier one (N2)', () => {
    const member = candidate();
    const first = member.round.request.start;
    member.feed({ kind: 'wake' }, member.round.retryAt);
    member.hear('b', member.refused(first), member.round.request.start.at + 1);
    expect(member.round.refused).toBe(0);
    member.hear('b', member.refused(), member.round.request.start.at + 2);
    expect(member.round.refused).toBe(2);
  });

  it('does not count a refusal that the same voter has replaced with a grant', () => {
    const member = candidate(settled(self, epochOf(['a', 'b', 'c', 'd', 'e'])));
    member.hear('b', member.refused(), 2);
    member.hear('b', member.ok(), 3);
    expect(member.round).toMatchObject({ refused: 0, granted: 3 });
  });

  it('does not elect at E or later, counted from before the request (N2)', () => {
    const { start, leaseMs } = candidate().round.request;
    const until = driftRules.believeUntil(start, leaseMs, self, 0);
    for (const [at, leads] of [
      [until - 1, true],
      [until, false],
      [until + 500, false],
    ] as const) {
      const member = candidate();
      expect(kinds(member.hear('b', member.ok(), at)).includes('granted')).toBe(leads);
    }
  });

  it.each([0n, 1n])(
    'does not elect by a token that a granter has granted to another: it begins again with a greater one (N16)',
    (more) => {
      const member = candidate();
      const rival = member.round.request.token + more;
      const outputs = member.hear('b', member.ok(rival), 10);
      expect(kinds(outputs)).not.toContain('granted');
      const again = sent(outputs, 'grant-request')[0];
      expect(again?.kind === 'grant-request' && again.token > rival).toBe(true);
    },
  );

  it('asks for a greater token than the elections before it, also without a vote of its own (T1)', () => {
    const epoch = {
      ...three,
      members: [{ member: 'a', votes: false }, { member: 'b' }, { member: 'c' }],
    };
    const member = candidate(settled(self, epoch));
    const { token } = member.round.request;
    for (const at of [member.round.giveUpAt, 5000]) member.feed({ kind: 'wake' }, at);
    member.feed({ kind: 'find', partition: 0, id: 2, timeoutMs: 900 }, 5000);
    expect(member.round.request.token).toBeGreaterThan(token);
  });

  it('measures no answer to another incarnation: its clock is another one (N10)', () => {
    const member = candidate();
    const before = member.state.roundTrip;
    const { start } = member.round.request;
    member.hear('b', member.refused({ ...start, incarnation: 'a-before' }), 300);
    expect(member.state.roundTrip).toEqual(before);
    member.hear('b', member.refused(), 300);
    expect(member.state.roundTrip).not.toEqual(before);
  });

  it('ends the time in which another pin refuses this member (R4)', () => {
    // A voter takes part with its own grant already.
    const epoch = {
      ...three,
      members: [{ member: 'a', votes: false }, { member: 'b' }, { member: 'c' }],
    };
    const started = newMember(
      driftRules,
      self,
      { hardState: { epoch, wedge: undefined }, knowsPin: false },
      momentAt(0),
    );
    const newcomer = { ...started, mutedUntil: 0, learning: undefined };
    const refusedBy = (member: Member) =>
      kinds(member.feed({ kind: 'differs', member: 'b' }, 3)).includes('refused');
    expect(refusedBy(new Member(newcomer))).toBe(true);
    const admitted = new Member(newcomer);
    for (const input of [
      { kind: 'listening' },
      { kind: 'tried', member: 'b' },
      { kind: 'tried', member: 'c' },
    ] as const)
      admitted.feed(input, 1);
    admitted.feed({ kind: 'find', partition: 0, id: 1, timeoutMs: 900 }, 2);
    expect(admitted.claim.round).toBeDefined();
    expect(refusedBy(admitted)).toBe(false);
  });
});

describe('a leader', () => {
  it('keeps its deadline if a renewal is for a shorter time (N10)', () => {
    const member = leader();
    const { leaseState } = member.claim;
    if (leaseState.kind !== 'leading') throw new Error('it leads');
    const claims = member.state.claims.map((claim) => ({
      ...claim,
      round: { ...roundAt(10), request: { ...roundAt(10).request, leaseMs: 20 } },
    }));
    member.state = { ...member.state, claims };
    const granted = member.hear('a', member.ok(), 12).find(({ kind }) => kind === 'granted');
    expect(granted).toMatchObject({ until: leaseState.deadline });
  });

  it('is fenced when a later epoch runs (N13)', () => {
    const member = new Member(
      settled(self, { ...alone, members: [{ member: 'a' }, { member: 'b' }] }),
    );
    member.feed({ kind: 'wake' }, 0);
    const next = { ...alone, number: 1, tokens: [] };
    const outputs = [
      ...member.hear('a', { kind: 'running', epoch: next }, 5),
      ...member.hear('b', { kind: 'running', epoch: next }, 5),
    ];
    expect(outputs).toContainEqual({ kind: 'lost', partition: 0, reason: 'superseded' });
  });

  it('ignores statements about its own epoch and earlier ones (N13)', () => {
    expect(leader().hear('b', { kind: 'running', epoch: alone }, 5)).toEqual([]);
  });

  const verify: Item = { kind: 'verify', partition: 0, id: 1 };

  it.each<[string, NerioInput]>([
    ['the host ends the term', { kind: 'fenced', partition: 0, lapse: false }],
    ['the term expires', { kind: 'wake' }],
  ])(
    'does not release before the deadline that it has promised to a verifier: %s (N12)',
    (_what, end) => {
      const ended = (isPromised: boolean): readonly Item[] => {
        const member = leader();
        if (isPromised) member.hear('b', verify, 5);
        const { leaseState } = member.claim;
        if (leaseState.kind !== 'leading') throw new Error('it leads');
        // The host ends the term early; an expired term has reached the deadline that it has
        // promised.
        return sent(member.feed(end, end.kind === 'fenced' ? 10 : leaseState.deadline), 'release');
      };
      expect(ended(false)).not.toEqual([]);
      expect(ended(true).length > 0).toBe(end.kind === 'wake');
    },
  );

  it('lets the lease expire if the host asks for that, and stays away until then, also in a new campaign (H3)', () => {
    const member = leader();
    expect(sent(member.feed({ kind: 'fenced', partition: 0, lapse: true }, 10), 'release')).toEqual(
      [],
    );
    member.feed({ kind: 'campaign', on: true }, 11);
    expect(member.claim.abstainUntil).toBe(10 + self.leaseMsMax);
  });

  it('releases only after the drain of its own term: an earlier result does not count (H2)', () => {
    const member = leader();
    member.feed({ kind: 'drained', partition: 0 }, 5);
    const outputs = [5, 300, 600].flatMap((at) =>
      member.feed(at === 5 ? { kind: 'resign', partition: 0, atLeastMs: 0 } : { kind: 'wake' }, at),
    );
    expect(kinds(outputs)).toContain('drain');
    expect(kinds(outputs)).not.toContain('released');
    expect(kinds(member.feed({ kind: 'drained', partition: 0 }, 700))).toContain('released');
  });

  it('promises nothing further once it is about to end (N12)', () => {
    const member = leader();
    member.feed({ kind: 'resign', partition: 0, atLeastMs: 0 }, 5);
    const answer = sent(member.hear('b', verify, 6), 'remainder')[0];
    expect(answer).toMatchObject({ remainderMs: 0 });
  });
});

describe('a verification (N12)', () => {
  const asked = (): Member => {
    const member = new Member(settled(self, three));
    member.feed({ kind: 'verify', partition: 0, member: 'b', id: 7 }, 1);
    return member;
  };
  const answer = (partition = 0, id = 7): Item => ({
    kind: 'remainder',
    partition,
    id,
    remainderMs: 100,
  });
  const verdicts = (outputs: readonly NerioOutput[]): number =>
    kinds(outputs).filter((kind) => kind === 'verified').length;

  it('is answered by the right member, once', () => {
    const member = asked();
    expect(verdicts(member.hear('c', answer(), 2))).toBe(0);
    expect(verdicts(member.hear('b', answer(), 3))).toBe(1);
    expect(verdicts(member.hear('b', answer(), 4))).toBe(0);
  });

  it('is not answered for another query', () => {
    expect(verdicts(asked().hear('b', answer(0, 8), 2))).toBe(0);
  });

  it('is not answered for another partition', () => {
    const member = new Member(settled(selfNamed('a', { partitions: 2 }), three));
    member.feed({ kind: 'verify', partition: 0, member: 'b', id: 7 }, 1);
    expect(verdicts(member.hear('b', answer(1), 2))).toBe(0);
  });
});

/** A round that `a` began at that time. */
function roundAt(at: number) {
  const request = {
    kind: 'grant-request',
    partition: 0,
    start: { incarnation: 'a0', at, count: 0 },
    leaseMs: 1000,
    token: 1n,
  } as const;
  const rest = {
    granted: 0,
    refused: 0,
    rival: 0n,
    timestamp: [],
    waitMs: 0,
    retryAt: at + 125,
    giveUpAt: Number.POSITIVE_INFINITY,
  };
  return { request: { ...request, standing: 'leading', successor: -1 } as const, ...rest };
}
