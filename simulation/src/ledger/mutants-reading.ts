// Wrong versions of the rules by which a member reads a store (L1, L2, L10, L11, L12, R3), which
// the simulation must catch.
import type { LedgerRecord } from '@leadership/core/internal/ledger';
import { type LedgerRules, ledgerRules } from '@leadership/core/internal/ledger';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

const { takesEffect, precedes, provesFoldWrong } = ledgerRules;

/** Mutants of the fold: L1, L2, L10, L11, L12, R3. */
export const readingMutants: readonly Mutant<Overrides>[] = [
  mutant('L1', 'last-write-wins', 'rainy', 'exclusive', {
    does: 'lets every record take effect, regardless of its predecessor',
    overrides: { rules: { takesEffect: () => true, provesFoldWrong: () => false } },
  }),
  mutant('L1', 'version-dependent-fold', 'rainy', 'exclusive', {
    does: 'runs an old release that skips the records of a newer release',
    overrides: { onlyNode: 0, rules: blindTo((record) => record.metadata?.['node'] === '2') },
  }),
  mutant('L1', 'unknown-kind-skipped', 'strangers', 'L1', {
    does: 'runs an old release that skips unknown kinds of record',
    overrides: {
      onlyNode: 0,
      rules: blindTo(({ kind }) => kind !== 'hold' && kind !== 'release'),
    },
  }),
  mutant('L2', 'holder-by-member-name', 'twins', 'exclusive', {
    does: 'treats the lease of another process with the same member name as its own',
    overrides: { rules: { isMine: (holder, self) => holder.member === self.member } },
  }),
  mutant('R3', 'm-not-pinned', 'several-m', 'exclusive', {
    does: 'takes part although the group is pinned to another M',
    overrides: { rules: { agrees: () => true } },
  }),
  mutant('L10', 'trusts-the-logs-start', 'shared-log', 'L1', {
    does: 'folds from the first record that is still visible',
    overrides: {
      rules: { precedes: (record, best) => best === null || takesEffect(best, record) },
    },
  }),
  mutant('L10', 'latest-of-the-greatest-height', 'shared-log', 'L1', {
    does: 'treats the latest record of the greatest height as the one in effect',
    overrides: {
      rules: { precedes: (record, best) => best === null || record.height >= best.height },
    },
  }),
  mutant('L11', 'waits-go-on-after-a-tail-loss', 'lost-tail', 'exclusive', {
    does: 'continues its previous wait after the log has lost its tail',
    overrides: {
      rules: {
        afterReading: (readAt, before) =>
          before ?? { arrivedAt: readAt, mistrustedSince: undefined },
      },
    },
  }),
  mutant('L11', 'newcomer-trusts-the-log', 'lost-tail-and-reborn', 'exclusive', {
    does: 'treats its first read of a log as complete',
    overrides: {
      rules: {
        afterReading: (readAt, before) => ledgerRules.afterReading(readAt, before, 'register'),
      },
    },
    seeds: [25, 45, 60],
  }),
  mutant('L11', 'mistrust-ends-with-a-record', 'lost-tail-and-late-writes', 'exclusive', {
    does: 'trusts a log that lost its tail as soon as another record takes effect in it',
    overrides: { rules: { mistrustedAfterRecord: () => undefined } },
    seeds: [29, 7],
  }),
  mutant('L11', 'mismatch-overlooked', 'lost-tail', 'L11', {
    does: 'keeps its belief although the record it rests on is no longer in the log',
    overrides: { rules: { confirms: () => true } },
  }),
  mutant('L12', 'unknown-follower-overlooked', 'lost-tail-and-late-copies', 'L1', {
    does: 'skips a record with another predecessor than the record in effect, as long as it has the next height',
    overrides: {
      rules: {
        provesFoldWrong: (effect, record) =>
          record.height > (effect === null ? 0 : effect.height + 1),
      },
    },
  }),
  mutant('L12', 'contradiction-overlooked', 'lost-tail', 'L1', {
    does: 'skips records that prove its fold wrong',
    overrides: { rules: { provesFoldWrong: () => false } },
  }),
];

/** Returns the fold rules of a release that does not see some records. */
function blindTo(isUnseen: (record: LedgerRecord) => boolean): Partial<LedgerRules> {
  return {
    takesEffect: (effect, record) => !isUnseen(record) && takesEffect(effect, record),
    precedes: (record, best) => !isUnseen(record) && precedes(record, best),
    provesFoldWrong: (effect, record) => !isUnseen(record) && provesFoldWrong(effect, record),
  };
}
