// The errors of the published algorithm, each in the history that shows it, and the same history
// with the right rule.
import { describe, expect, test } from 'vitest';
import { precedes } from '../../src/protocol/election/rendezvous.ts';
import type { ScuttlebuttRules } from '../../src/protocol.ts';
import { World } from '../support/world.ts';

const twoLead = expect.stringContaining('lead partition 0');

function all(world: World, from: string, isCut: boolean): void {
  for (const to of world.names) if (to !== from) world.cut(from, to, isCut);
}

/** Three voters that do not stand, and two candidates that do not vote. */
function twoCandidates(rules: Partial<ScuttlebuttRules>, driftRate = 500e-6): World {
  const world = new World({ seed: 3, nodes: 5, voters: 3, driftRate, delayMs: [1, 10], rules });
  for (const name of world.names) world.start(name, { isCandidate: !world.voters.includes(name) });
  return world;
}

function leaderOf(world: World): string {
  world.run(60_000, () => world.leader() !== undefined);
  const leader = world.leader();
  if (leader === undefined) throw new Error('no leader');
  return leader;
}

describe('the corrected inequality (S5)', () => {
  function history(rules: Partial<ScuttlebuttRules>): readonly string[] {
    const world = twoCandidates(rules, 0.1);
    for (const voter of world.voters) world.drift(voter, 1.1);
    const leader = leaderOf(world);
    world.drift(leader, 0.9);
    world.run(10_000);
    // No message of the leader arrives, and it still receives votes.
    all(world, leader, true);
    world.run(30_000);
    expect(new Set(world.reigns.map(({ member }) => member)).size).toBe(2);
    return world.violations;
  }

  test('a slow leader has lost belief before fast voters support another member', () => {
    expect(history({})).toEqual([]);
  });

  test('with the published factor two members lead', () => {
    const printed = history({ believeUntil: (bound, ms, r) => bound + ms / (1 + r) });
    expect(printed).toContainEqual(twoLead);
  });
});

describe('a bound stops with suspicion (S4)', () => {
  function history(rules: Partial<ScuttlebuttRules>): readonly string[] {
    const world = twoCandidates(rules);
    all(world, leaderOf(world), true);
    world.run(30_000);
    return world.violations;
  }

  test('a leader whose messages no longer arrive loses the votes', () => {
    expect(history({})).toEqual([]);
    expect(history({ publishesWithdrawn: true })).toContainEqual(twoLead);
  });
});

describe('a voter that restarts (S4)', () => {
  function history(rules: Partial<ScuttlebuttRules>): readonly string[] {
    const world = twoCandidates({ startsWithMemory: true, ...rules });
    const leader = leaderOf(world);
    world.run(1000);
    // Nothing of the leader arrives, but it has fresh votes. Two voters restart.
    all(world, leader, true);
    for (const other of world.names) world.cut(other, leader);
    for (const voter of ['m0', 'm1']) {
      world.kill(voter);
      world.start(voter, { isCandidate: false });
    }
    world.run(30_000);
    return world.violations;
  }

  test('votes for no member for P', () => {
    expect(history({})).toEqual([]);
    expect(history({ muteMs: () => 0 })).toContainEqual(twoLead);
  });
});

describe('votes of an earlier generation (S5)', () => {
  /** Elects a member, and restarts it while everything that it sends is cut off. */
  function history(rules: Partial<ScuttlebuttRules>): World {
    const world = new World({ seed: 5, nodes: 5, voters: 3, delayMs: [1, 10], rules });
    for (const name of world.voters) world.start(name, { isCandidate: false });
    world.run(13_000);
    world.start('m3');
    const leader = leaderOf(world);
    world.kill(leader);
    all(world, leader, true);
    world.start(leader);
    world.start('m4');
    world.run(30_000);
    return world;
  }

  test('do not elect the restarted member', () => {
    const right = history({});
    expect(right.violations).toEqual([]);
    expect(right.reigns.filter(({ member }) => member === 'm3')).toHaveLength(1);
    const published = history({
      isForLife: () => true,
      counts: (bound, _clock, horizon) => bound > horizon,
      elects: () => true,
    });
    expect(published.reigns.filter(({ member }) => member === 'm3').length).toBeGreaterThan(1);
  });
});

describe('favorites that are all alive (S4)', () => {
  /** Five voters that split 2|2|1 while they are cut from each other, then reach each other. */
  function split(rules: Partial<ScuttlebuttRules>): boolean {
    const world = new World({ seed: 2, nodes: 6, voters: 5, delayMs: [1, 10], rules });
    world.startAll();
    world.run(60_000, () => world.leader() !== undefined);
    const first = world.leader() ?? '';
    const others = world.names.filter((name) => name !== first && world.voters.includes(name));
    const groups = [
      others.slice(0, 2),
      others.slice(2, 4),
      world.names.filter((name) => !others.includes(name)),
    ];
    for (const a of world.names)
      for (const b of world.names)
        if (groups.find((group) => group.includes(a)) !== groups.find((group) => group.includes(b)))
          world.cut(a, b);
    world.run(60_000);
    expect(world.leader()).toBeUndefined();
    const favorites = world.voters.map(
      (name) => world.process(name).state?.election.voterStates[0]?.favorite?.member,
    );
    expect(new Set(favorites).size).toBe(3);
    world.cuts.clear();
    return world.run(60_000, () => world.leader() !== undefined);
  }

  test('are picked again, so that a split of 2, 2 and 1 votes ends', () => {
    expect(split({})).toBe(true);
    expect(split({ repicks: () => false }), 'a mutant').toBe(false);
  });

  /** A member whose messages arrive, and that receives none. */
  function deaf(rules: Partial<ScuttlebuttRules>): boolean {
    const world = twoCandidates(rules);
    const leader = leaderOf(world);
    for (const other of world.names) world.cut(other, leader);
    world.run(15_000);
    return world.run(45_000, () => world.leader() !== undefined);
  }

  test('are passed over if they have a majority and do not lead', () => {
    expect(deaf({})).toBe(true);
    expect(deaf({ skipMs: () => 0 }), 'a mutant').toBe(false);
  });
});

describe('a favorite that is deaf, while links come and go (S4)', () => {
  /** The voters m0 and m1, without the third, and a candidate that receives nothing. */
  function deafFavorite(seed: number): World {
    const times = { intervalMs: 200, electionMs: 200 };
    const world = new World({ seed, nodes: 4, voters: 3, delayMs: [1, 10], ...times });
    for (const name of ['m0', 'm1']) {
      world.start(name, { isCandidate: false });
      world.cut(name, 'm3');
    }
    world.start('m3');
    const favorite = (voter: string): string | undefined =>
      world.process(voter).state?.election.voterStates[0]?.favorite?.member;
    expect(
      world.run(60_000, () => favorite('m0') === 'm3' && favorite('m1') === 'm3'),
      'the candidate is the favorite of both',
    ).toBe(true);
    return world;
  }

  /** Cuts links for 3 s of every 7 s. Returns whether a voter passes the candidate over. */
  function isPassedOver(world: World, links: readonly (readonly [string, string])[]): boolean {
    const { thresholdMs } = world.options;
    const end = world.now + 5 * thresholdMs;
    const skips = (voter: string): boolean =>
      world.process(voter).state?.election.skippedFavorites[0]?.member === 'm3';
    while (world.now < end)
      for (const isCut of [true, false]) {
        for (const [from, to] of links) world.cut(from, to, isCut);
        if (world.run(isCut ? 3000 : 4000, () => skips('m0') || skips('m1'))) return true;
      }
    return false;
  }

  test.each([1, 2, 3])('is passed over although its majority comes and goes, seed %i', (seed) => {
    const links = [['m0', 'm1'] as const, ['m1', 'm0'] as const];
    expect(isPassedOver(deafFavorite(seed), links)).toBe(true);
  });

  test.each([1, 2, 3])('is passed over although it is suspected now and then, seed %i', (seed) => {
    const links = [['m3', 'm0'] as const, ['m3', 'm1'] as const];
    expect(isPassedOver(deafFavorite(seed), links)).toBe(true);
  });
});

describe('a candidate that lost its term', () => {
  const cutOff = (world: World, member: string, isCut: boolean): void => {
    for (const other of world.names) world.cut(other, member, isCut);
  };

  test.each([1, 2, 3])('leads again soon if the only other one stays out, seed %i', (seed) => {
    const world = new World({ seed, nodes: 5, voters: 3, delayMs: [1, 10] });
    for (const name of world.names)
      world.start(name, { isCandidate: !world.voters.includes(name) });
    const { thresholdMs } = world.options;
    const first = leaderOf(world);
    world.run(5 * thresholdMs);
    world.feed(first, { kind: 'resign', partition: 0, atLeastMs: 100 * thresholdMs });
    expect(world.run(60_000, () => ![first, undefined].includes(world.leader()))).toBe(true);
    const second = world.leader() ?? '';
    world.run(2 * thresholdMs);
    for (const voter of ['m0', 'm1']) all(world, voter, true);
    expect(world.run(2 * thresholdMs, () => world.leader() === undefined)).toBe(true);
    world.cuts.clear();
    expect(world.run(thresholdMs / 2, () => world.leader() === second)).toBe(true);
    expect(world.violations).toEqual([]);
  });

  test.each([1, 2, 3])('counts no failures while it is alone, seed %i', (seed) => {
    const world = new World({ seed, nodes: 3, voters: 3, delayMs: [1, 10] });
    world.startAll();
    const leader = leaderOf(world);
    world.run(20_000);
    cutOff(world, leader, true);
    for (const other of world.names) world.cut(leader, other);
    world.run(60 * world.options.thresholdMs);
    world.cuts.clear();
    world.run(60_000);
    expect(world.process(leader).state?.election.candidateStates[0]?.failures).toBeLessThan(2);
    expect(world.leader()).toBeDefined();
    expect(world.violations).toEqual([]);
  });

  test('is picked again, although it has been passed over, if there is no other one', () => {
    const world = new World({ seed: 1, nodes: 4, voters: 3, delayMs: [1, 10] });
    for (const name of world.names) world.start(name, { isCandidate: name === 'm3' });
    const { thresholdMs } = world.options;
    expect(leaderOf(world)).toBe('m3');
    cutOff(world, 'm3', true);
    const isPassedOver = (voter: string): boolean =>
      (world.process(voter).state?.election.skippedFavorites.length ?? 0) > 0;
    expect(world.run(10 * thresholdMs, () => world.voters.every(isPassedOver))).toBe(true);
    cutOff(world, 'm3', false);
    expect(world.run(3 * thresholdMs, () => world.leader() === 'm3')).toBe(true);
  });
});

describe('a candidate whose clock stopped (S3, H6)', () => {
  /**
   * Votes that accepted its claim reach it only after it has resumed. Their bounds on its clock went
   * on meanwhile, and the voters have elected another member.
   */
  function history(rules: Partial<ScuttlebuttRules>, isNoticed: boolean): World {
    // It cannot renew its claim, so the voters must accept one that they know when they begin to vote.
    const world = twoCandidates({ countsTheLiving: false, ...rules });
    const [first, other] = precedes('m3', 'm4', 0) ? ['m3', 'm4'] : ['m4', 'm3'];
    for (const name of world.names) world.cut(name, first);
    // Its claim is the greater one, so that voters accept it before they receive any other.
    world.process(first).wallOffsetMs = 1000;
    const ballotOf = (voter: string) => world.process(voter).state?.election.voterStates[0];
    const isFavorite = (voter: string): boolean => ballotOf(voter)?.favorite?.member === first;
    expect(world.run(20_000, () => world.voters.every(isFavorite))).toBe(true);
    world.run(1000);
    world.suspend(first, 25_000, isNoticed);
    const accepted = world.voters.filter(
      (voter) => ballotOf(voter)?.acceptedFrom?.member === first,
    );
    for (const voter of accepted) world.cut(voter, first, false);
    world.run(1500);
    for (const voter of accepted) world.cut(voter, first);
    world.run(23_000);
    expect(world.leader()).toBe(other);
    world.run(10_000);
    return world;
  }

  const unchecked: Partial<ScuttlebuttRules> = { showsClockStop: () => false };

  test('begins a new generation, in which no earlier vote counts', () => {
    const world = history(unchecked, true);
    expect(world.violations).toEqual([]);
    const mutant = history({ ...unchecked, renewsAfterStop: false }, true);
    expect(mutant.violations).toContainEqual(twoLead);
  });

  test('finds that out from a bound that is ahead of its clock', () => {
    expect(history({}, false).violations).toEqual([]);
    expect(history(unchecked, false).violations).toContainEqual(twoLead);
  });
});
