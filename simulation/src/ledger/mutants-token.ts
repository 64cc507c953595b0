// Wrong versions of the rules of tokens and terms (T), which the simulation must catch.
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

/** Mutants of tokens and terms: T. */
export const tokenMutants: readonly Mutant<Overrides>[] = [
  mutant('T1', 'token-stands-still', 'rainy', 'T1', {
    does: 'begins a new term with the token of the previous term',
    overrides: {
      rules: { token: (previous, wallMicros) => (previous > 0n ? previous : BigInt(wallMicros)) },
    },
  }),
  mutant('T1', 'token-by-clock-alone', 'rainy', 'T1', {
    does: 'uses the wall clock as the token, regardless of the previous token',
    overrides: { rules: { token: (_previous, wallMicros) => BigInt(wallMicros) } },
  }),
  mutant('T1', 'token-by-chain-alone', 'deleted-and-reborn', 'T1', {
    does: 'increments tokens without the clock, and so starts from 0 after the store has lost everything',
    overrides: { rules: { token: (previous) => previous + 1n } },
  }),
  mutant('T1', 'floor-ignored', 'wiped', 'T1', {
    does: 'reads the greatest token in the second place, and ignores it',
    overrides: { rules: { knownToken: (seen) => seen } },
  }),
  mutant('T1', 'floor-not-awaited', 'wiped', 'T1', {
    does: 'claims an empty register before the second place has answered',
    overrides: { rules: { awaitsFloor: () => false } },
  }),
  mutant('T1', 'floor-never-raised', 'wiped', 'T1', {
    does: 'writes no token to the second place',
    overrides: { rules: { raisesFloor: () => false } },
  }),
  mutant('T1', 'floor-raised-ahead-of-the-clock', 'wiped', 'T1', {
    does: 'raises the floor only for tokens that its own wall clock has not reached',
    overrides: {
      rules: {
        raisesFloor: (token, seen, wallMicros) => token > seen && token > BigInt(wallMicros),
      },
    },
  }),
  mutant('T1', 'floor-raised-after-the-claim', 'wiped', 'T1', {
    does: 'raises the floor with the first renewal of a term, not before its claim',
    overrides: { store: { raises: 'with-the-renewal' } },
    seeds: [2, 22, 30],
  }),
  mutant('T1', 'token-without-room-adopted', 'hostile-tokens', 'T1', {
    does: 'continues from the last token that exists, so that no member can read the next one',
    overrides: { rules: { leavesRoom: () => true } },
  }),
  mutant('T3', 'expired-term-revived', 'rainy', 'T3', {
    does: 'continues an expired term when a late proof of it arrives',
    overrides: { rules: { begins: () => true } },
  }),
];
