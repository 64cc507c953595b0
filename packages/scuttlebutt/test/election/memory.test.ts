// What a voter knows of tokens after it has started again, and which votes a candidate counts.
import { describe, expect, test } from 'vitest';
import type { ElectionContext, Peer } from '../../src/protocol/election/context.ts';
import type { Candidacy, Vote } from '../../src/protocol/election/declaration.ts';
import { reviewTerms } from '../../src/protocol/election/leading.ts';
import { learn } from '../../src/protocol/election/learning.ts';
import { scuttlebuttRules } from '../../src/protocol.ts';
import { World } from '../support/world.ts';

/** The context of a member of four, three of which vote, that has just started. */
function contextOf(name: string) {
  const world = new World({ seed: 1, nodes: 4, voters: 3 });
  world.startAll();
  const { state, config } = world.process(name);
  if (state === undefined) throw new Error('not started');
  const own = state.election;
  const context: ElectionContext = {
    rules: scuttlebuttRules,
    config,
    state: own,
    roster: { get: () => undefined, candidates: () => [] },
    clock: 0,
    wallMicros: 0,
    outputs: [],
    hasChanged: false,
  };
  return { context, own };
}

describe('a voter that restarts (T1)', () => {
  /** What "m0" regards as accepted once m1 and m2 have answered, and m3 stands with a claim. */
  function accepted(remembers: boolean): readonly (bigint | undefined)[] {
    const { context, own } = contextOf('m0');
    const asker = { member: 'm0', generation: own.generation };
    const peerOf = (member: string, known: bigint): Peer => {
      const vote: Vote = {
        supports: [undefined],
        known,
        ask: 0,
        witnesses: [],
        attests: [],
        answers: [{ ...asker, ask: 1, remembers }],
      };
      const declaration = { vote, candidacy: undefined };
      return { member, generation: 1, isAlive: true, clock: 0, declaration };
    };
    const peers = new Map([
      ['m1', peerOf('m1', 70n)],
      ['m2', peerOf('m2', 77n)],
    ]);
    const lives = [...peers.values()].map(({ member, generation }) => ({ member, generation }));
    const memory = { ...own.memory, remembers: false, query: 1, knownAtQuery: lives };
    const state = { ...own, isAdmitted: true, memory };
    const candidacy: Candidacy = {
      claim: 99n,
      stands: [true],
      leads: [],
      leaving: [false],
      wants: [false],
      resignations: [],
    };
    const standing: Peer = { ...peerOf('m3', 0n), declaration: { vote: undefined, candidacy } };
    const roster = { get: (name: string) => peers.get(name), candidates: () => [standing] };
    const asking: ElectionContext = { ...context, state, roster, clock: 1e6, wallMicros: 5 };
    learn(asking);
    expect(asking.state.memory.remembers).toBe(true);
    return asking.state.voterStates.map((one) => one.accepted);
  }

  test('accepts only claims above those that the others have accepted', () => {
    expect(accepted(true)).toEqual([77n]);
  });

  test('counts the claims of living members if a majority has forgotten, whatever its wall clock shows', () => {
    expect(accepted(false)).toEqual([99n]);
  });
});

describe('a candidate (S5)', () => {
  /** The number of grants of a candidate in its second life, if all votes name that generation. */
  function grants(generation: number): number {
    const { context: before, own: state } = contextOf('m3');
    const claim = 9n;
    const support = { member: 'm3', generation, bound: 900, token: claim, above: 0n };
    const vote: Vote = {
      supports: [support],
      known: claim,
      ask: 0,
      answers: [],
      witnesses: [],
      attests: [],
    };
    const peer = {
      generation: 1,
      isAlive: true,
      clock: 0,
      declaration: { vote, candidacy: undefined },
    };
    const context: ElectionContext = {
      ...before,
      state: { ...state, generation: 2, isAdmitted: true, claim },
      roster: { get: (member): Peer => ({ ...peer, member }), candidates: () => [] },
      clock: 1000,
    };
    // The partition is not new, so that the claim stays.
    context.state.candidateStates = state.candidateStates.map((one) => ({
      ...one,
      isVacant: true,
    }));
    reviewTerms(context);
    return context.outputs.filter(({ kind }) => kind === 'granted').length;
  }

  test('is elected by votes for this life, and by none for an earlier one', () => {
    expect([grants(2), grants(1), grants(3)]).toEqual([1, 0, 0]);
  });
});
