// The tests that every mutant is caught: all of them from two seeds in the long tests, and one
// mutant of each rule that a short world shows from one seed in the tests of every change.
import { afterAll, expect, test } from 'vitest';
import { isCaught, type Outcome } from '../src/kernel/protocol.ts';
import {
  type MutantSearch,
  minutesUntilCaught,
  searchesOf,
  searchMsMax,
  testRowsOf,
} from './mutant-searches.ts';

/** Lengths of the searches from each seed. From some seed, most mutants are caught within minutes. */
const tiersMs = [3_600_000, 3 * 3_600_000, searchMsMax];

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

/** Returns whether some seed exposes the mutant: in the shortest search that suffices. */
async function isCaughtOnce(search: MutantSearch): Promise<boolean> {
  for (const ms of tiersMs)
    for (const seed of search.seeds.toReversed())
      if (isCaught(search, await search.run(seed, ms))) return true;
  return false;
}

/** Registers a test per rule: one of its mutants that a short world shows is exposed by a seed. */
export function caughtFromOneSeed(protocol: string): void {
  const { scenarios, rulePattern, searches } = searchesOf(protocol);
  const quick = searches.filter(({ shows }) => !slowCounters.includes(shows));
  const isFirst = ({ rule }: MutantSearch, index: number): boolean =>
    quick.findIndex((search) => search.rule === rule) === index;
  test.each(testRowsOf(quick.filter(isFirst)))(
    'catches the mutant %s: %s',
    async (_rule, _name, search) => {
      expect(
        await isCaughtOnce(search),
        `${search.shows} must have a violation in ${search.scenario} with one of ${search.seeds.join(', ')}`,
      ).toBe(true);
    },
  );

  test('has mutants with unique names, rules and known scenarios', () => {
    const names = searches.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { rule, scenario } of searches) {
      expect(rule).toMatch(rulePattern);
      expect(scenarios).toContain(scenario);
    }
  });
}

/**
 * Number of seeds that must expose a mutant. Some mutants survive for hours, so the third seed is
 * for a mutant that escapes once.
 */
const seedsToCatch = 2;

/** Registers a test per mutant: two of three seeds expose it. */
export function caughtFromTwoSeeds(protocol: string): void {
  const { searches } = searchesOf(protocol);
  const lines = reported(protocol);
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
function reported(protocol: string): string[] {
  const lines: string[] = [];
  afterAll(() =>
    console.log(
      `${protocol}: simulated minutes until each mutant was caught, per seed:\n${lines.join('\n')}`,
    ),
  );
  return lines;
}
