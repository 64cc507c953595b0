import type { Mutant } from './mutants.ts';

/** Mutants of tokens and terms: T. */
export const tokenMutants: readonly Mutant[] = [
  {
    name: 'token-stands-still',
    rule: 'T1',
    does: 'begins a new term with the token of the previous term',
    scenario: 'rainy',
    shows: 'T1',
    departure: {
      ledger: { token: (previous, wallMicros) => (previous > 0n ? previous : BigInt(wallMicros)) },
    },
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
    name: 'floor-ignored',
    rule: 'T1',
    does: 'reads the greatest token in the second place, and ignores it',
    scenario: 'wiped',
    shows: 'T1',
    departure: { ledger: { knownToken: (seen) => seen } },
  },
  {
    name: 'floor-not-awaited',
    rule: 'T1',
    does: 'claims an empty register before the second place has answered',
    scenario: 'wiped',
    shows: 'T1',
    departure: { ledger: { awaitsFloor: () => false } },
  },
  {
    name: 'floor-never-raised',
    rule: 'T1',
    does: 'writes no token to the second place',
    scenario: 'wiped',
    shows: 'T1',
    departure: { ledger: { raisesFloor: () => false } },
  },
  {
    name: 'floor-raised-ahead-of-the-clock',
    rule: 'T1',
    does: 'raises the floor only for tokens that its own wall clock has not reached',
    scenario: 'wiped',
    shows: 'T1',
    departure: {
      ledger: {
        raisesFloor: (token, seen, wallMicros) => token > seen && token > BigInt(wallMicros),
      },
    },
  },
  {
    name: 'floor-raised-after-the-claim',
    rule: 'T1',
    does: 'raises the floor with the first renewal of a term, not before its claim',
    scenario: 'wiped',
    shows: 'T1',
    departure: { host: { raises: 'with-the-renewal' } },
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
