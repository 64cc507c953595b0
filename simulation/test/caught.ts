// The tests that every mutant is caught: all of them from one seed in the long tests and from two in
// the soak, and one mutant of each rule that a short world shows in the tests of every change.
import { afterAll, expect, test } from 'vitest';
import { isCaught, type Outcome } from '../src/kernel/protocol.ts';
import type { Simulation } from '../src/kernel/simulation.ts';
import {
  type MutantSearch,
  minutesUntilCaught,
  searchesOf,
  searchMsMax,
  testRowsOf,
} from './mutant-searches.ts';

/** Lengths of the searches from each seed. From some seed, most mutants are caught within minutes. */
const shortestFirstMs = [3_600_000, 3 * 3_600_000, searchMsMax];

/** The counters that are compared with their limits once a world has run for half an hour. */
const slowCounters: readonly string[] = [
  'failedCampaignShare',
  'leaderlessShare',
  'needlessMoves',
  'renewalGaps',
  'sharingMoves',
  'slowHandoverShare',
  'unevenShare',
];

/** Returns whether some seed exposes the mutant in a search of one of these lengths. */
async function isCaughtOnce(search: MutantSearch, lengthsMs: readonly number[]): Promise<boolean> {
  for (const ms of lengthsMs)
    for (const seed of search.seeds.toReversed())
      if (isCaught(search, await search.run(seed, ms))) return true;
  return false;
}

/** Registers a test per mutant: one of its seeds exposes it. */
function caughtOnce(searches: readonly MutantSearch[], lengthsMs: readonly number[]): void {
  test.each(testRowsOf(searches))('catches the mutant %s: %s', async (_rule, _name, search) => {
    expect(
      await isCaughtOnce(search, lengthsMs),
      `${search.shows} must have a violation in ${search.scenario} with one of ${search.seeds.join(', ')}`,
    ).toBe(true);
  });
}

/** Registers a test per rule: one of its mutants that a short world shows is exposed by a seed. */
export function eachRuleCaught(simulation: Simulation): void {
  const { scenarios, rulePattern, searches } = searchesOf(simulation);
  caughtOnce(firstOfEachRule(searches), shortestFirstMs);

  test('has mutants with unique names, rules and known scenarios', () => {
    const names = searches.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { rule, scenario } of searches) {
      expect(rule).toMatch(rulePattern);
      expect(scenarios).toContain(scenario);
    }
  });
}

/** Returns the first mutant of each rule that a short world shows. */
function firstOfEachRule(searches: readonly MutantSearch[]): readonly MutantSearch[] {
  const quick = searches.filter(({ shows }) => !slowCounters.includes(shows));
  return quick.filter(
    ({ rule }, index) => quick.findIndex((search) => search.rule === rule) === index,
  );
}

/** Registers a test per mutant that `eachRuleCaught` leaves out: one of its seeds exposes it. */
export function othersCaught(simulation: Simulation): void {
  const { searches } = searchesOf(simulation);
  const first = firstOfEachRule(searches);
  // The last seed is the one that exposes it soonest, where that takes hours.
  caughtOnce(
    searches.filter((search) => !first.includes(search)),
    [searchMsMax],
  );
}

/**
 * Number of seeds that must expose a mutant. Some mutants survive for hours, so the third seed is
 * for a mutant that escapes once.
 */
const seedsToCatch = 2;

/** Registers a test per mutant: two of three seeds expose it. */
export function caughtFromTwoSeeds(simulation: Simulation): void {
  const { searches } = searchesOf(simulation);
  const lines = reported(simulation);
  test.each(testRowsOf(searches))('catches the mutant %s: %s', async (_rule, _name, search) => {
    const outcomes: Outcome[] = [];
    const caught = (): number => outcomes.filter((outcome) => isCaught(search, outcome)).length;
    for (const seed of search.seeds.toReversed())
      if (caught() < seedsToCatch) outcomes.push(await search.run(seed, searchMsMax));
    lines.push(minutesUntilCaught(search, outcomes));
    expect(
      caught(),
      `${search.shows} must have a violation in ${search.scenario} with two seeds`,
    ).toBe(seedsToCatch);
  });
}

/** Returns lines that are printed after the tests. */
function reported(simulation: Simulation): string[] {
  const lines: string[] = [];
  afterAll(() =>
    console.log(
      `${simulation.name}: simulated minutes until each mutant was caught, per seed:\n${lines.join('\n')}`,
    ),
  );
  return lines;
}
