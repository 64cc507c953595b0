import type { LedgerRecord } from '@leadership/core/adapter';
import { type LedgerRules, ledgerRules } from '@leadership/core/internal/ledger';
import type { Mutant } from './mutants.ts';

const { takesEffect, precedes, provesFoldWrong } = ledgerRules;

/** Mutants of the fold: L1, L2, L10, L11, L12, R3. */
export const readingMutants: readonly Mutant[] = [
  {
    name: 'last-write-wins',
    rule: 'L1',
    does: 'lets every record take effect, regardless of its predecessor',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { ledger: { takesEffect: () => true, provesFoldWrong: () => false } },
  },
  {
    name: 'version-dependent-fold',
    rule: 'L1',
    does: 'runs an old release that skips the records of a newer release',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { onlyNode: 0, ledger: blindTo((record) => record.metadata?.['node'] === '2') },
  },
  {
    name: 'unknown-kind-skipped',
    rule: 'L1',
    does: 'runs an old release that skips unknown kinds of record',
    scenario: 'strangers',
    shows: 'L1',
    departure: {
      onlyNode: 0,
      ledger: blindTo(({ kind }) => kind !== 'hold' && kind !== 'release'),
    },
  },
  {
    name: 'holder-by-member-name',
    rule: 'L2',
    does: 'treats the lease of another process with the same member name as its own',
    scenario: 'twins',
    shows: 'exclusive',
    departure: { ledger: { isMine: (holder, self) => holder.member === self.member } },
  },
  {
    name: 'm-not-pinned',
    rule: 'R3',
    does: 'takes part although the group is pinned to another M',
    scenario: 'several-m',
    shows: 'exclusive',
    departure: { ledger: { agrees: () => true } },
  },
  {
    name: 'trusts-the-logs-start',
    rule: 'L10',
    does: 'folds from the first record that is still visible',
    scenario: 'shared-log',
    shows: 'L1',
    departure: {
      ledger: { precedes: (record, best) => best === null || takesEffect(best, record) },
    },
  },
  {
    name: 'latest-of-the-greatest-height',
    rule: 'L10',
    does: 'treats the latest record of the greatest height as the one in effect',
    scenario: 'shared-log',
    shows: 'L1',
    departure: {
      ledger: { precedes: (record, best) => best === null || record.height >= best.height },
    },
  },
  {
    name: 'waits-go-on-after-a-tail-loss',
    rule: 'L11',
    does: 'continues its previous wait after the log has lost its tail',
    scenario: 'lost-tail',
    shows: 'exclusive',
    departure: {
      ledger: {
        afterReading: (readAt, before) =>
          before ?? { arrivedAt: readAt, mistrustedSince: undefined },
      },
    },
  },
  {
    name: 'newcomer-trusts-the-log',
    rule: 'L11',
    does: 'treats its first read of a log as complete',
    scenario: 'lost-tail-and-reborn',
    shows: 'exclusive',
    departure: {
      ledger: {
        afterReading: (readAt, before) => ledgerRules.afterReading(readAt, before, 'register'),
      },
    },
  },
  {
    name: 'mistrust-ends-with-a-record',
    rule: 'L11',
    does: 'trusts a log that lost its tail as soon as another record takes effect in it',
    scenario: 'lost-tail-and-late-writes',
    shows: 'exclusive',
    departure: { ledger: { mistrustedAfterRecord: () => undefined } },
    seeds: [1, 3],
  },
  {
    name: 'mismatch-overlooked',
    rule: 'L11',
    does: 'keeps its belief although the record it rests on is no longer in the log',
    scenario: 'lost-tail',
    shows: 'L11',
    departure: { ledger: { bearsOut: () => true } },
  },
  {
    name: 'unknown-follower-overlooked',
    rule: 'L12',
    does: 'skips a record with another predecessor than the record in effect, as long as it has the next height',
    scenario: 'lost-tail-and-late-copies',
    shows: 'L1',
    departure: {
      ledger: {
        provesFoldWrong: (effect, record) =>
          record.height > (effect === null ? 0 : effect.height + 1),
      },
    },
  },
  {
    name: 'contradiction-overlooked',
    rule: 'L12',
    does: 'skips records that prove its fold wrong',
    scenario: 'lost-tail',
    shows: 'L1',
    departure: { ledger: { provesFoldWrong: () => false } },
  },
];

/** Returns the fold rules of a release that does not see some records. */
function blindTo(isUnseen: (record: LedgerRecord) => boolean): Partial<LedgerRules> {
  return {
    takesEffect: (effect, record) => !isUnseen(record) && takesEffect(effect, record),
    precedes: (record, best) => !isUnseen(record) && precedes(record, best),
    provesFoldWrong: (effect, record) => !isUnseen(record) && provesFoldWrong(effect, record),
  };
}
