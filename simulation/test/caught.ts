import { afterAll, expect, test } from 'vitest';
import { isCaught, type Outcome } from '../src/kernel/protocol.ts';
import { huntMs, huntsOf, killTimes, rowsOf } from './hunts.ts';

/** Registers a test per mutant: each of its seeds exposes it. */
export function caughtFromEverySeed(protocol: 'ledger' | 'induction'): void {
  const hunts = huntsOf(protocol);
  const lines = reported(protocol);
  test.each(rowsOf(hunts))('catches the mutant %s: %s', (_rule, _name, hunt) => {
    const outcomes = hunt.seeds.map((seed) => hunt.run(seed, huntMs));
    lines.push(killTimes(hunt, outcomes));
    const missed = outcomes.filter((outcome) => !isCaught(hunt, outcome)).map(({ seed }) => seed);
    expect(missed, `${hunt.shows} has no violation in ${hunt.scenario} with these seeds`).toEqual(
      [],
    );
  });
}

/**
 * Number of seeds that must expose a mutant of Nerio or Scuttlebutt. Some mutants survive for hours,
 * so the third seed is for a mutant that escapes once.
 */
const seedsToCatch = 2;

/** Registers a test per mutant: two of three seeds expose it. */
export function caughtFromTwoSeeds(protocol: 'nerio-drift' | 'nerio-skew' | 'scuttlebutt'): void {
  const hunts = huntsOf(protocol);
  const lines = reported(protocol);
  test.each(rowsOf(hunts))('catches the mutant %s: %s', (_rule, _name, hunt) => {
    const outcomes: Outcome[] = [];
    const caught = (): number => outcomes.filter((outcome) => isCaught(hunt, outcome)).length;
    for (const seed of hunt.seeds)
      if (caught() < seedsToCatch) outcomes.push(hunt.run(seed, huntMs));
    lines.push(killTimes(hunt, outcomes));
    expect(caught(), `${hunt.shows} must have a violation in ${hunt.scenario} with two seeds`).toBe(
      seedsToCatch,
    );
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
