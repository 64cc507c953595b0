// Wrong versions of rules L13 to L16, about deaths that a guard proves, which the simulation must
// catch.
import type { Instant } from '@leadership/core/adapter';
import type { Observation } from '@leadership/core/internal/ledger';
import { holderOf } from '@leadership/core/internal/ledger';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

/** Mutants of proved death: L13 to L16. */
export const guardMutants: readonly Mutant<Overrides>[] = [
  mutant('L13', 'refusal-alone-proves', 'guarded', 'exclusive', {
    does: 'takes an address that refuses connections as proof, although the connection is open',
    overrides: proof(({ isIdentified, saidGoodbye, address }) => {
      return isIdentified && !saidGoodbye && address === 'refuses';
    }),
  }),
  mutant('L13', 'end-alone-proves', 'guarded', 'exclusive', {
    does: 'takes the end of a connection as proof, whatever the address answers',
    overrides: proof(({ isIdentified, end, saidGoodbye }) => {
      return isIdentified && end === 'there' && !saidGoodbye;
    }),
  }),
  mutant('L13', 'missing-socket-proves', 'guarded', 'exclusive', {
    does: 'takes the missing file of a socket for a refusal',
    overrides: proof(({ isIdentified, end, saidGoodbye, address }) => {
      return isIdentified && end === 'there' && !saidGoodbye && address !== 'accepts';
    }),
  }),
  mutant('L13', 'unidentified-end-proves', 'guarded', 'exclusive', {
    does: 'counts the end of a connection over which no incarnation named itself',
    overrides: proof(({ end, saidGoodbye, address }) => {
      return end === 'there' && !saidGoodbye && address === 'refuses';
    }),
  }),
  mutant('L13', 'own-hang-up-proves', 'guarded', 'exclusive', {
    does: 'counts a connection that the guard itself has closed',
    overrides: proof(({ isIdentified, end, saidGoodbye, address }) => {
      return isIdentified && end !== 'open' && !saidGoodbye && address === 'refuses';
    }),
  }),
  mutant('L13', 'dead-by-member-name', 'guarded', 'exclusive', {
    does: 'takes the next process of the same member name for the dead one',
    overrides: {
      rules: {
        deathOf: (record, deaths) => {
          const holder = holderOf(record);
          return deaths.find(
            ({ incarnation }) => nameIn(incarnation) === nameIn(holder?.incarnation),
          );
        },
      },
    },
  }),
  mutant('L13', 'death-of-the-writer', 'guarded-log', 'exclusive', {
    does: 'releases a record that the dead one wrote, although it delegated the lease to another',
    overrides: {
      rules: {
        deathOf: (record, deaths) =>
          deaths.find(({ incarnation }) => incarnation === record.incarnation),
      },
    },
    seeds: [25, 56, 7],
  }),
  mutant('L14', 'goodbye-proves', 'guarded', 'H3', {
    does: 'takes a goodbye as proof, although work that was fenced may continue in that process',
    overrides: proof(({ isIdentified, end, address }) => {
      return isIdentified && end === 'there' && address === 'refuses';
    }),
  }),
  mutant('L14', 'closes-while-believing', 'guarded', 'exclusive', {
    does: 'closes its sockets when it begins to leave, not after its belief has ended',
    overrides: { guard: { keepsSocketsWhileBelieving: false } },
  }),
  mutant('L15', 'exposure-overlooked', 'guarded', 'exclusive', {
    does: 'continues to lead although the guard may consider it dead',
    overrides: { guard: { exposed: 'goes-on' } },
  }),
  mutant('L15', 'same-incarnation-again', 'guarded', 'exclusive', {
    does: 'campaigns again as the incarnation that the guard may consider dead',
    overrides: { guard: { exposed: 'same-incarnation' } },
  }),
  mutant('L16', 'releases-for-the-living', 'guarded', 'exclusive', {
    does: 'repeats a release that was refused, although another member has become the holder',
    overrides: { rules: { deathOf: (_record, deaths) => deaths.at(-1) } },
  }),
  mutant('L16', 'proof-mends-what-was-lost', 'guarded-restored', 'exclusive', {
    does: 'releases at once although the register went back, so that a member that starts then claims',
    overrides: { rules: { deputesAt: () => Number.NEGATIVE_INFINITY as Instant } },
  }),
  mutant('L16', 'dead-are-waited-for', 'guarded-crashes', 'leaderlessShare', {
    does: 'releases nothing, so that the group waits for every lease to lapse',
    overrides: { rules: { deathOf: () => undefined } },
  }),
];

function proof(provesDeath: (observation: Observation) => boolean): Overrides {
  return { guard: { provesDeath } };
}

/** Returns the part of a simulated incarnation that is the same in every life of its process. */
function nameIn(incarnation: string | undefined): string | undefined {
  return incarnation?.split('.')[0];
}
