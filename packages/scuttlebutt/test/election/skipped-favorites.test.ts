// A voter passes over a favorite that had a majority and did not lead, until the one that it picked
// instead turns out to have no majority (S4). Both exceptions are removed once, to show that the tests
// notice it.
import { describe, expect, test } from 'vitest';
import type { ElectionContext, Peer } from '../../src/protocol/election/context.ts';
import type { Life } from '../../src/protocol/election/declaration.ts';
import { newElection } from '../../src/protocol/election/state.ts';
import { reviewFavorites } from '../../src/protocol/election/voting.ts';
import { type ScuttlebuttRules, scuttlebuttRules } from '../../src/protocol.ts';
import { World } from '../support/world.ts';

const thresholdMs = 1000;
const partitions = 2;
const voters = ['v1', 'v2', 'v3'];
const skipped: Life = { member: 'skipped', generation: 1 };
const picked: Life = { member: 'picked', generation: 1 };

/** What another voter does: it supports a candidate, or none, or it is dead. */
type Elsewhere = Life | 'supports none' | 'dead';

function voter(member: string, elsewhere: Elsewhere): Peer {
  const support =
    typeof elsewhere === 'string' ? undefined : { ...elsewhere, bound: 0, token: 0n, above: 0n };
  const supports = Array.from({ length: partitions }, () => support);
  const vote = { supports, known: 0n, ask: 0, answers: [], witnesses: [], attests: [] };
  const isAlive = elsewhere !== 'dead';
  return { member, generation: 1, isAlive, clock: 0, declaration: { vote, candidacy: undefined } };
}

function candidate(life: Life): Peer {
  const stands = Array.from({ length: partitions }, () => true);
  const candidacy = { claim: 0n, stands, leads: [], leaving: [], wants: [], resignations: [] };
  return { ...life, isAlive: true, clock: 0, declaration: { vote: undefined, candidacy } };
}

/**
 * The favorites of "v1" once "picked" has not led for P in partition 0. It was picked there instead of
 * "skipped", which is passed over for much longer in both partitions.
 */
function favoritesAfter(
  v2: Elsewhere,
  v3: Elsewhere,
  forgives: ScuttlebuttRules['forgives'] = scuttlebuttRules.forgives,
): readonly (string | undefined)[] {
  const config = {
    member: 'v1',
    voters,
    partitions,
    isCandidate: false,
    thresholdMs,
    driftRate: 0,
  };
  const state = newElection(config, 1, { muteMs: 0, startsWithMemory: true });
  const peers = [voter('v2', v2), voter('v3', v3), candidate(skipped), candidate(picked)];
  const context: ElectionContext = {
    rules: { ...scuttlebuttRules, forgives },
    config,
    state: {
      ...state,
      isAdmitted: true,
      skippedFavorites: [0, 1].map((partition) => ({ ...skipped, partition, until: 1e6 })),
      voterStates: state.voterStates.map((own, partition) => ({
        ...own,
        favorite: picked,
        notLeadingSince: partition === 0 ? 0 : thresholdMs,
      })),
    },
    roster: {
      get: (name) => peers.find(({ member }) => member === name),
      candidates: () => peers.filter(({ declaration }) => declaration?.candidacy !== undefined),
    },
    clock: thresholdMs,
    wallMicros: 0,
    outputs: [],
    hasChanged: false,
  };
  reviewFavorites(context);
  return context.state.voterStates.map(({ favorite }) => favorite?.member);
}

describe('a voter that has passed over a candidate, and picked one without a majority (S4)', () => {
  test('supports the first one again, in that partition, if all other living voters have voted', () => {
    expect(favoritesAfter(skipped, 'dead')).toEqual(['skipped', 'picked']);
    expect(favoritesAfter(skipped, 'dead', () => false)).toEqual(['picked', 'picked']);
  });

  test('waits while a living voter supports no member, because it may elect the one picked', () => {
    expect(favoritesAfter(skipped, 'supports none')).toEqual(['picked', 'picked']);
    const tooSoon: ScuttlebuttRules['forgives'] = (_undecided, supporters, count) =>
      2 * supporters <= count;
    expect(favoritesAfter(skipped, 'supports none', tooSoon)).toEqual(['skipped', 'picked']);
  });

  test('keeps passing over one that the others elect without this vote, because it may be deaf', () => {
    expect(favoritesAfter(skipped, skipped)).toEqual(['picked', 'picked']);
    const theDeaf: ScuttlebuttRules['forgives'] = (undecided) => undecided === 0;
    expect(favoritesAfter(skipped, skipped, theDeaf)).toEqual(['skipped', 'picked']);
  });
});

describe('two of three voters that have passed over each other for 8 P (S4)', () => {
  /** How long no member leads while the third one is dead, or receives nothing. In P. */
  function leaderlessFor(
    third: 'dead' | 'deaf',
    seed: number,
    rules: Partial<ScuttlebuttRules> = {},
  ): number {
    const world = new World({ seed, nodes: 3, voters: 3, delayMs: [1, 10], rules });
    world.startAll();
    expect(world.run(60_000, () => world.leader() !== undefined)).toBe(true);
    const out = world.leader() ?? '';
    if (third === 'dead') world.kill(out);
    else for (const from of world.names) world.cut(from, out);
    const [one = '', other = ''] = world.names.filter((name) => name !== out);
    passOver(world, one, other);
    passOver(world, other, one);
    const sinceMs = world.now;
    const isLed = (): boolean => ![out, undefined].includes(world.leader());
    expect(world.run(20 * world.options.thresholdMs, isLed)).toBe(true);
    expect(world.violations).toEqual([]);
    return (world.now - sinceMs) / world.options.thresholdMs;
  }

  /** Lets a voter pass over a member, as if that had had a majority and had not led. */
  function passOver(world: World, voter: string, member: string): void {
    const process = world.process(voter);
    const { state } = process;
    const generation = world.process(member).state?.election.generation;
    if (state === undefined || generation === undefined) throw new Error('not started');
    const until =
      world.clockOf(process) - state.startedAt + world.rules.skipMs(world.options.thresholdMs);
    const skippedFavorites = [{ member, generation, partition: 0, until }];
    process.state = { ...state, election: { ...state.election, skippedFavorites } };
  }

  test.each([
    ['dead', 1, 6],
    ['dead', 2, 6],
    ['deaf', 1, 8],
    ['deaf', 2, 8],
  ] as const)('elect one of them although the third is %s, seed %i, within %i P', (...args) => {
    const [third, seed, limit] = args;
    expect(leaderlessFor(third, seed)).toBeLessThan(limit);
    expect(leaderlessFor(third, seed, { forgives: () => false }), 'a mutant').toBeGreaterThan(8);
  });
});
