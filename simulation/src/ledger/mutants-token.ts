import type { Mutant } from './mutants.ts';

/** Mutants of tokens and terms: T. */
export const tokenMutants: readonly Mutant[] = [
  {
    name: 'token-stands-still',
    rule: 'T1',
    does: 'begins a new term with the token of the previous term',
    scenario: 'rainy',
    shows: 'T1',
    departure: { ledger: { token: (previous, wallMicros) => (previous > 0n ? previous : BigInt(wallMicros)) } },
  },
  {
    name: 'token-by-clock-alone',
    rule: 'T1',
    does: 'uses the wall clock as the token, regardless of the previous token',
    scenario: 'rainy',
    shows: 'T1',
    departure: { ledger: { token: (_previous, wallMicros) => BigInt(wallMicros) } },
  },
  {
    name: 'token-by-chain-alone',
    rule: 'T1',
    does: 'increments tokens without the clock, and so starts from 0 after the store has lost everything',
    scenario: 'deleted-and-reborn',
    shows: 'T1',
    departure: { ledger: { token: (previous) => previous + 1n } },
  },
  {
    name: 'expired-term-revived',
    rule: 'T3',
    does: 'continues an expired term when a late proof of it arrives',
    scenario: 'rainy',
    shows: 'T3',
    departure: { ledger: { begins: () => true } },
  },
];
