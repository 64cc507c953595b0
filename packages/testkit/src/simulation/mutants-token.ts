import type { Mutant } from './mutants.ts';

/** Mutants of T: tokens and terms. */
export const tokenMutants: readonly Mutant[] = [
  {
    name: 'token-stands-still',
    rule: 'T1',
    does: 'begins a new term with the token of the one before',
    scenario: 'rainy',
    shows: 'T1',
    departure: { ledger: { token: (previous, wallMicros) => (previous > 0n ? previous : BigInt(wallMicros)) } },
  },
  {
    name: 'token-by-clock-alone',
    rule: 'T1',
    does: 'takes the wall clock for the token, whatever the token before was',
    scenario: 'rainy',
    shows: 'T1',
    departure: { ledger: { token: (_previous, wallMicros) => BigInt(wallMicros) } },
  },
  {
    name: 'token-by-chain-alone',
    rule: 'T1',
    does: 'counts tokens on without the clock, and so from 0 again once the store has lost everything',
    scenario: 'deleted-and-reborn',
    shows: 'T1',
    departure: { ledger: { token: (previous) => previous + 1n } },
  },
  {
    name: 'expired-term-revived',
    rule: 'T3',
    does: 'goes on with a term whose deadline had passed, once a late proof of it is seen',
    scenario: 'rainy',
    shows: 'T3',
    departure: { ledger: { begins: () => true } },
  },
];
