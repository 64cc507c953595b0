// The last vote of a voter that closes in order (S7), and what its witnesses say to its next life.
// Every part of the rule is broken once, to show that the tests notice it.
import { describe, expect, test } from 'vitest';
import type { ElectionContext, Peer } from '../../src/protocol/election/context.ts';
import type { Attest, Life, Vote } from '../../src/protocol/election/declaration.ts';
import {
  attestedKnown,
  attestsOf,
  endVoting,
  noteLastVotes,
} from '../../src/protocol/election/last-vote.ts';
import { newElection } from '../../src/protocol/election/state.ts';
import { type ScuttlebuttRules, scuttlebuttRules, step } from '../../src/protocol.ts';
import { World } from '../support/world.ts';

const voters = ['v1', 'v2', 'v3', 'v4', 'v5'];
const noVote: Vote = { supports: [], known: 0n, ask: 0, answers: [], witnesses: [], attests: [] };

/** The context of a voter in a life, and of what it knows of the others. */
function contextOf(
  member: string,
  generation: number,
  rules: Partial<ScuttlebuttRules> = {},
): { readonly context: ElectionContext; readonly peers: Map<string, Peer> } {
  const peers = new Map<string, Peer>();
  const times = { thresholdMs: 1000, driftRate: 0 };
  const config = { member, voters, partitions: 1, isCandidate: false, ...times };
  const context: ElectionContext = {
    rules: { ...scuttlebuttRules, ...rules },
    config,
    state: newElection(config, generation, {
      muteMs: 1000,
      startsWithMemory: false,
    }),
    roster: { get: (name) => peers.get(name), candidates: () => [] },
    clock: 2000,
    wallMicros: 0,
    outputs: [],
    hasChanged: false,
  };
  return { context, peers };
}

function peer(member: string, generation: number, vote: Partial<Vote> = {}): Peer {
  const declaration = { vote: { ...noVote, ...vote }, candidacy: undefined };
  return { member, generation, isAlive: true, clock: 0, declaration };
}

describe('a witness (S7)', () => {
  /** What "v2", in life 1, attests after it has met these lives of "v1", the first with a last vote. */
  function attests(
    lives: readonly number[],
    witness: Life = { member: 'v2', generation: 1 },
    rules: Partial<ScuttlebuttRules> = {},
  ): readonly Attest[] {
    const { context, peers } = contextOf('v2', 1, rules);
    const last = { known: 70n, witnesses: [witness] };
    for (const [index, generation] of lives.entries()) {
      peers.set('v1', peer('v1', generation, index === 0 ? last : {}));
      noteLastVotes(context);
    }
    return attestsOf(context);
  }

  test('attests the last vote to the next life, and to that one only', () => {
    const attest = { member: 'v1', generation: 20, last: 10, known: 70n };
    expect(attests([10])).toEqual([]);
    expect(attests([10, 20])).toEqual([attest]);
    expect(attests([10, 20, 20])).toEqual([attest]);
    expect(attests([10, 20, 30])).toEqual([]);
    expect(attests([10, 20, 30, 40])).toEqual([]);
    expect(attests([10, 20, 30], undefined, { follows: () => true })).not.toEqual([]);
  });

  test('is one in the life that was named only', () => {
    const earlier = { member: 'v2', generation: 0 };
    expect(attests([10, 20], earlier)).toEqual([]);
    const isWitness: ScuttlebuttRules['isWitness'] = (all, { member }) =>
      all.some((one) => one.member === member);
    expect(attests([10, 20], earlier, { isWitness })).not.toEqual([]);
  });

  test('attests nothing any more to a life that has learnt', () => {
    const { context, peers } = contextOf('v2', 1);
    const witnesses = [{ member: 'v2', generation: 1 }];
    peers.set('v1', peer('v1', 10, { known: 70n, witnesses }));
    noteLastVotes(context);
    peers.set('v1', peer('v1', 20, { known: 71n }));
    noteLastVotes(context);
    expect(attestsOf(context)).toEqual([]);
  });
});

describe('a voter whose earlier life closed in order (S7)', () => {
  /** What "v1" in life 20 knows, given which voter attests which last vote to which life. */
  function known(
    all: readonly (readonly [string, Partial<Attest>])[],
    rules: Partial<ScuttlebuttRules> = {},
  ): bigint | undefined {
    const { context, peers } = contextOf('v1', 20, rules);
    const usual: Attest = { member: 'v1', generation: 20, last: 10, known: 70n };
    for (const [voter, attest] of all)
      peers.set(voter, peer(voter, 1, { attests: [{ ...usual, ...attest }] }));
    return attestedKnown(context);
  }

  test('needs the witnesses of one last vote, half of the other voters', () => {
    expect(known([['v2', {}]])).toBeUndefined();
    expect(known([['v2', {}]], { areEnoughWitnesses: (count) => count > 0 })).toBe(70n);
    expect(
      known([
        ['v2', {}],
        ['v3', {}],
      ]),
    ).toBe(70n);
    const ofAnEarlierLastVote = { last: 5, known: 60n };
    expect(
      known([
        ['v2', {}],
        ['v3', ofAnEarlierLastVote],
      ]),
    ).toBeUndefined();
    expect(
      known([
        ['v2', {}],
        ['v3', { generation: 15 }],
      ]),
    ).toBeUndefined();
  });

  test('counts the latest of several last votes', () => {
    const early = { last: 5, known: 60n };
    expect(
      known([
        ['v2', early],
        ['v3', early],
        ['v4', {}],
        ['v5', {}],
      ]),
    ).toBe(70n);
  });
});

describe('a voter that closes in order (S7)', () => {
  function closed(remembers: boolean, attesting: readonly string[]): ElectionContext {
    const { context, peers } = contextOf('v1', 20);
    for (const voter of voters.slice(1)) peers.set(voter, peer(voter, 1));
    const attests = [{ member: 'v1', generation: 20, last: 10, known: 70n }];
    for (const voter of attesting) peers.set(voter, peer(voter, 1, { attests }));
    peers.set('v2', {
      ...peer('v2', 1, attesting.includes('v2') ? { attests } : {}),
      isAlive: false,
    });
    context.state.memory = { ...context.state.memory, remembers };
    endVoting(context);
    return context;
  }

  test('names so few witnesses that any two groups of enough of them share one, living ones first', () => {
    const { rules, state } = closed(true, []);
    expect(state.witnesses.map(({ member }) => member)).toEqual(['v3', 'v4', 'v5']);
    for (const count of [3, 5, 7, 31]) {
      const enough = [1, 2, 3, 4, 15].find((some) => rules.areEnoughWitnesses(some, count)) ?? 0;
      expect(2 * enough).toBeGreaterThan(rules.witnessesMax(count));
      // Those from which a voter learns without a last vote.
      const others = Array.from({ length: count }, (_, index) => index);
      const learning = others.find((some) => rules.meetsEveryMajority(some, count)) ?? 0;
      expect(enough + learning).toBeGreaterThan(count - 1);
    }
  });

  test('has no last vote if it remembers nothing, and passes on what was attested', () => {
    expect(closed(false, []).state.witnesses).toEqual([]);
    expect(closed(false, ['v4']).state.witnesses).toEqual([]);
    const { state } = closed(false, ['v4', 'v5']);
    expect(state.witnesses).toHaveLength(3);
    expect(state.voterStates[0]?.accepted).toBe(70n);
  });

  test('publishes nothing after its last vote, and keeps its generation if its clock stops', () => {
    const world = new World({ seed: 1, nodes: 3, voters: 3 });
    world.startAll();
    world.run(30_000);
    world.feed('m1', { kind: 'campaign', on: false });
    world.feed('m1', { kind: 'close' });
    const { state } = world.process('m1');
    if (state === undefined) throw new Error('not started');
    expect(state.election.declaration.vote?.witnesses).toHaveLength(1);
    const moment = { now: (state.startedAt + 1e6) as typeof state.startedAt, wallMicros: 1.9e15 };
    const { state: later } = step(scuttlebuttRules, state, { kind: 'clock-stopped' }, moment);
    expect(later.election.generation).toBe(state.election.generation);
    world.run(30_000);
    const { election } = world.process('m1').state ?? state;
    expect(election.sequence).toBe(state.election.sequence);
    expect(world.violations).toEqual([]);
  });
});
