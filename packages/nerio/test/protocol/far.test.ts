// Members whose round trips take up to a quarter of T, while pings and queries are sent every tenth
// of T, as in production.

import { seededRandom } from '@leadership/testkit/internal';
import { describe, expect, test } from 'vitest';
import { measured, roundTripOf, unmeasured } from '../../src/protocol/round-trip.ts';
import {
  driftRules,
  type MemberState,
  type NerioInput,
  type NerioRules,
  newMember,
  type RoundTrip,
  step,
} from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

const names = ['a', 'b', 'c'];
const epoch = epochOf(names);
/** T and the longest lease, both with their default values. Milliseconds. */
const thresholdMs = 1000;
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

interface Letter {
  readonly at: number;
  readonly to: string;
  readonly input: NerioInput;
}

const wallMicros = 5_000;
const selfOf = (name: string, jitter = 0) =>
  selfNamed(name, {
    jitter,
    life: 1,
    leaseMsMax: thresholdMs,
    spacingMs: 950,
    roundTripMs: 50,
    pingMs: 100,
  });

/** A member that starts without memory. */
const forgetful = (name: string, rules: NerioRules, jitter: number): MemberState =>
  newMember(rules, selfOf(name, jitter), { hardState: { epoch, wedge: undefined } }, momentAt(0));

/** Runs the members for that time. Returns the terms that began, and their leaders. */
function live(
  members: Map<string, MemberState>,
  {
    rules,
    ms,
    delayMs,
  }: {
    readonly rules: NerioRules;
    readonly ms: number;
    readonly delayMs: (from: string, to: string) => number;
  },
): readonly { readonly member: string; readonly token: bigint; readonly at: number }[] {
  const letters: Letter[] = [];
  const dueAt = new Map(names.map((name) => [name, 0]));
  const terms = new Map<
    bigint,
    { readonly member: string; readonly token: bigint; readonly at: number }
  >();
  const feed = (name: string, input: NerioInput, at: number): void => {
    const before = members.get(name);
    if (before === undefined) return;
    const { state, outputs, wakeAt } = step(rules, before, input, momentAt(at, wallMicros));
    members.set(name, state);
    dueAt.set(name, Math.max(wakeAt, at + 0.01));
    for (const output of outputs) {
      if (output.kind === 'granted' && !terms.has(output.token))
        terms.set(output.token, { member: name, token: output.token, at });
      if (output.kind !== 'send') continue;
      const received = { kind: 'received', from: state.self, epoch: 0, item: output.item } as const;
      names.forEach((to, index) => {
        if ((output.to & (1 << index)) !== 0)
          letters.push({ at: at + delayMs(name, to), to, input: received });
      });
    }
  };
  for (;;) {
    const letter = letters.reduce<Letter | undefined>(
      (first, one) => (first === undefined || one.at < first.at ? one : first),
      undefined,
    );
    const [next, wakesAt] = [...dueAt].reduce((first, one) => (one[1] < first[1] ? one : first));
    const at = Math.min(letter?.at ?? Number.POSITIVE_INFINITY, wakesAt);
    if (at > ms) return [...terms.values()];
    if (letter === undefined || wakesAt < letter.at) feed(next, { kind: 'wake' }, at);
    else {
      letters.splice(letters.indexOf(letter), 1);
      feed(letter.to, letter.input, at);
    }
  }
}

describe('a group of members without memory with long round trips', () => {
  test.each([6, 4])('elects with round trips up to T/%i (N9, N10, N16)', (share) => {
    const late = seeds.filter((seed) => {
      const dice = seededRandom(seed);
      const members = new Map(names.map((name) => [name, forgetful(name, driftRules, dice())]));
      const delayMs = (): number => (thresholdMs / share / 2) * (0.5 + dice() / 2);
      return live(members, { rules: driftRules, ms: 8 * thresholdMs, delayMs }).length === 0;
    });
    expect(late).toEqual([]);
  });
});

/**
 * The greatest token, which only `c` remembers. It is greater than the other members' wall clocks.
 */
const remembered = 9_000n;

/**
 * Two of three members have lost their memory; the answers of the third take up to T/4. Returns the
 * seeds with a term of a lower token.
 */
function lowerTokens(rules: NerioRules): readonly number[] {
  return seeds.filter((seed) => {
    const dice = seededRandom(seed);
    const members = new Map(['a', 'b'].map((name) => [name, forgetful(name, rules, dice())]));
    const before = settled(selfOf('c'), epoch);
    members.set('c', {
      ...before,
      campaigning: false,
      grants: before.grants.map((grant) => ({ ...grant, token: remembered })),
    });
    const delayMs = (from: string, to: string): number =>
      from === 'c' || to === 'c' ? (thresholdMs / 8) * (0.8 + dice() / 5) : 1 + dice();
    const terms = live(members, { rules, ms: 6 * thresholdMs, delayMs });
    return terms.length === 0 || terms.some(({ token }) => token <= remembered);
  });
}

test('a quorum without memory waits for the slower answer of a member with memory: no token is lower than before (N16)', () => {
  expect(lowerTokens(driftRules)).toEqual([]);
});

test('a mutant that waits only a tenth of T is detected, with more than one seed (N16)', () => {
  const hasty: NerioRules = { ...driftRules, slowestAnswerMs: ({ pingMs }) => pingMs };
  expect(lowerTokens(hasty).length).toBeGreaterThan(1);
});

describe('a voter of five without memory that receives answers of others without memory (N16)', () => {
  const group = epochOf(['v', 'w', 'x', 'y', 'z']);
  const self = { ...selfOf('v'), member: 'v' };
  const startedAt = 0;
  const mutedUntil = driftRules.muteMs(self);

  /** The voter after these answers to its queries, which it sends every tenth of T. */
  function voterAfter(
    answers: readonly { readonly from: string; readonly beat: number; readonly life?: number }[],
    ms: number,
    rules = driftRules,
  ) {
    let state = newMember(
      rules,
      self,
      { hardState: { epoch: group, wedge: undefined } },
      momentAt(startedAt),
    );
    for (let tenth = 0; tenth * 100 <= ms; tenth += 1) {
      const at = mutedUntil + tenth * 100;
      ({ state } = step(rules, state, { kind: 'wake' }, momentAt(at)));
      for (const { from, life = 0 } of answers.filter(({ beat }) => beat === tenth + 1)) {
        const item = {
          kind: 'learned',
          beat: tenth + 1,
          tokens: [],
          remembers: false,
          epochMax: 0,
        } as const;
        const sender = { member: from, incarnation: `${from}${life}` };
        ({ state } = step(
          rules,
          state,
          { kind: 'received', from: sender, epoch: 0, item },
          momentAt(at + 50),
        ));
      }
    }
    return state;
  }

  const atOnce = ['w', 'x'].flatMap((from) => [2, 3, 4].map((beat) => ({ from, beat })));
  const inTurn = [
    { from: 'w', beat: 2 },
    { from: 'w', beat: 3 },
    ...[4, 5, 6].map((beat) => ({ from: 'x', beat })),
  ];

  test('goes on once a quorum was without memory at one moment, and slower answers have had their time', () => {
    expect(voterAfter(atOnce, 600).learning).toBeDefined();
    expect(voterAfter(atOnce, 1000).learning).toBeUndefined();
  });

  test('waits if they were at different moments: the first may have learnt before the second forgot', () => {
    expect(voterAfter(inTurn, 5000).learning).toBeDefined();
    expect(
      voterAfter(inTurn, 5000, { ...driftRules, hadForgotten: () => true }).learning,
    ).toBeUndefined();
  });

  test('counts another incarnation of a member separately', () => {
    const reborn = [
      { from: 'w', beat: 2 },
      { from: 'w', beat: 6, life: 1 },
      { from: 'x', beat: 3 },
      { from: 'x', beat: 4 },
    ];
    expect(voterAfter(reborn, 5000).learning).toBeDefined();
  });
});

test('a member that was paused measures its own pause, and its leases soon shorten again (N10)', () => {
  const self = { ...selfOf('a'), leaseMsMax: 20 * thresholdMs };
  const usual = (before: RoundTrip, count: number): RoundTrip =>
    Array.from({ length: count }).reduce<RoundTrip>((state) => measured(state, 4, self), before);
  const paused = measured(usual(unmeasured, 1500), 5000, self);
  expect(roundTripOf(paused, self)).toBe(5000);
  expect(roundTripOf(usual(paused, 32), self)).toBe(self.roundTripMs);
  const slow = Array.from({ length: 40 }).reduce<RoundTrip>(
    (state) => measured(state, 240, self),
    unmeasured,
  );
  expect(roundTripOf(slow, self)).toBe(240);
});
