// Wrong versions of rules L13 to L15, about deaths that a guard proves.
import type { Observation } from '@leadership/core/internal/guard';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './mutants.ts';

/** Mutants of proved death: L13 to L15, and M10. */
export const guardMutants: readonly Mutant<Overrides>[] = [
  mutant('L13', 'refusal-alone-proves', 'guard', 'exclusive', {
    does: 'takes an address that refuses connections as proof, although the connection is open',
    overrides: proof(({ isIdentified, saidGoodbye, address }) => {
      return isIdentified && !saidGoodbye && address === 'refuses';
    }),
  }),
  mutant('L13', 'end-alone-proves', 'guard', 'exclusive', {
    does: 'takes the end of a connection as proof, whatever the address answers',
    overrides: proof(({ isIdentified, end, saidGoodbye }) => {
      return isIdentified && end === 'there' && !saidGoodbye;
    }),
  }),
  mutant('L13', 'missing-socket-proves', 'guard', 'exclusive', {
    does: 'takes the missing file of a socket for a refusal',
    seeds: [1, 2, 24],
    overrides: proof(({ isIdentified, end, saidGoodbye, address }) => {
      return isIdentified && end === 'there' && !saidGoodbye && address !== 'accepts';
    }),
  }),
  mutant('L13', 'unidentified-end-proves', 'guard', 'exclusive', {
    does: 'counts the end of a connection over which no incarnation named itself',
    overrides: proof(({ end, saidGoodbye, address }) => {
      return end === 'there' && !saidGoodbye && address === 'refuses';
    }),
  }),
  mutant('L13', 'own-hang-up-proves', 'guard', 'exclusive', {
    does: 'counts a connection that the guard itself has closed',
    overrides: proof(({ isIdentified, end, saidGoodbye, address }) => {
      return isIdentified && end !== 'open' && !saidGoodbye && address === 'refuses';
    }),
  }),
  mutant('L13', 'dead-by-member-name', 'guard', 'exclusive', {
    does: 'takes the next process of the same member name for the dead one',
    overrides: {
      rules: {
        deathOf: (incarnation, dead) =>
          [...dead].find((other) => nameIn(other) === nameIn(incarnation)),
      },
    },
  }),
  mutant('L14', 'goodbye-proves', 'guard', 'H3', {
    does: 'takes a goodbye as proof, although work that was fenced may continue in that process',
    seeds: [1, 2, 25],
    overrides: proof(({ isIdentified, end, address }) => {
      return isIdentified && end === 'there' && address === 'refuses';
    }),
  }),
  mutant('L14', 'closes-while-believing', 'guard', 'exclusive', {
    does: 'closes its sockets when it begins to leave, not after its belief has ended',
    overrides: { guard: { keepsSocketsWhileBelieving: false } },
  }),
  mutant('L14', 'closes-unheard', 'guard, unheard', 'H3', {
    does: 'closes its own socket although no guard could read its goodbye',
    seeds: [6, 17, 13],
    overrides: { guard: { keepsSocketsUnheard: false } },
  }),
  mutant('L15', 'exposure-overlooked', 'guard', 'exclusive', {
    does: 'continues to lead although the guard may consider it dead',
    overrides: { guard: { exposed: 'goes-on' } },
  }),
  mutant('L15', 'same-incarnation-again', 'guard', 'exclusive', {
    does: 'campaigns again as the incarnation that the guard may consider dead',
    overrides: { guard: { exposed: 'same-incarnation' } },
  }),
  mutant('M10', 'deposes-the-living', 'guard', 'exclusive', {
    does: 'deposes sessions of the living once a death is proved',
    overrides: { rules: { deathOf: (_incarnation, dead) => [...dead].at(-1) } },
  }),
  mutant('M10', 'dead-are-waited-for', 'guard, crashes', 'leaderlessShare', {
    does: 'deposes nothing by proof, so that the group waits for every session to lapse',
    overrides: { rules: { deathOf: () => undefined } },
  }),
];

function proof(provesDeath: (observation: Observation) => boolean): Overrides {
  return { guard: { provesDeath } };
}

/** Returns the part of a simulated incarnation that is the same in every life of its process. */
function nameIn(incarnation: string): string | undefined {
  return incarnation.split('.')[0];
}
