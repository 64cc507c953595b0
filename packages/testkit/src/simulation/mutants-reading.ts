import { type LedgerRules, ledgerRules } from '@leadership/core/engine';
import type { LedgerRecord } from '@leadership/core/ledger';
import type { Mutant } from './mutants.ts';

const { takesEffect, precedes, provesFoldWrong } = ledgerRules;

/** Mutants of what is in effect: L1, L2, L10, L11, L12, R3. */
export const readingMutants: readonly Mutant[] = [
  {
    name: 'last-write-wins',
    rule: 'L1',
    does: 'lets every record take effect, whatever record it names',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { ledger: { takesEffect: () => true, provesFoldWrong: () => false } },
  },
  {
    name: 'version-dependent-fold',
    rule: 'L1',
    does: 'skips, in an old release, what a newer release wrote',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { onlyNode: 0, ledger: blindTo((record) => record.metadata?.['node'] === '2') },
  },
  {
    name: 'unknown-kind-skipped',
    rule: 'L1',
    does: 'skips, in an old release, kinds of record it does not know',
    scenario: 'strangers',
    shows: 'L1',
    departure: { onlyNode: 0, ledger: blindTo(({ kind }) => kind !== 'hold' && kind !== 'release') },
  },
  {
    name: 'holder-by-member-name',
    rule: 'L2',
    does: 'takes whatever a process of the same name holds for its own',
    scenario: 'twins',
    shows: 'exclusive',
    departure: { ledger: { isMine: (holder, self) => holder.member === self.member } },
  },
  {
    name: 'm-not-pinned',
    rule: 'R3',
    does: 'takes part whatever M the group is pinned to',
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
    departure: { ledger: { precedes: (record, best) => best === null || takesEffect(best, record) } },
  },
  {
    name: 'latest-of-the-greatest-height',
    rule: 'L10',
    does: 'takes the latest of the greatest height for the one in effect',
    scenario: 'shared-log',
    shows: 'L1',
    departure: { ledger: { precedes: (record, best) => best === null || record.height >= best.height } },
  },
  {
    name: 'waits-go-on-after-a-tail-loss',
    rule: 'L11',
    does: 'goes on waiting where it was when the log lost its tail',
    scenario: 'lost-tail',
    shows: 'exclusive',
    departure: { ledger: { afterReading: (readAt, before) => before ?? { arrivedAt: readAt, mistrustedSince: undefined } } },
  },
  {
    name: 'newcomer-trusts-the-log',
    rule: 'L11',
    does: 'takes what it first reads of a log for all that there was',
    scenario: 'lost-tail-and-reborn',
    shows: 'exclusive',
    departure: { ledger: { afterReading: (readAt, before) => ledgerRules.afterReading(readAt, before, 'register') } },
  },
  {
    name: 'mistrust-ends-with-a-record',
    rule: 'L11',
    does: 'trusts a log that lost its tail as soon as another record has taken effect in it',
    scenario: 'lost-tail-and-late-writes',
    shows: 'exclusive',
    departure: { ledger: { mistrustedAfterRecord: () => undefined } },
    seeds: [1, 3],
  },
  {
    name: 'mismatch-overlooked',
    rule: 'L11',
    does: 'keeps its belief although what it rests on is not in the log any more',
    scenario: 'lost-tail',
    shows: 'L11',
    departure: { ledger: { bearsOut: () => true } },
  },
  {
    name: 'unknown-follower-overlooked',
    rule: 'L12',
    does: 'reads past a record that follows another than the one in effect, as long as it is at the next height',
    scenario: 'lost-tail-and-late-copies',
    shows: 'L1',
    departure: { ledger: { provesFoldWrong: (effect, record) => record.height > (effect === null ? 0 : effect.height + 1) } },
  },
  {
    name: 'contradiction-overlooked',
    rule: 'L12',
    does: 'reads past records that prove its fold wrong',
    scenario: 'lost-tail',
    shows: 'L1',
    departure: { ledger: { provesFoldWrong: () => false } },
  },
];

/** The fold of a release that does not see some records. */
function blindTo(isUnseen: (record: LedgerRecord) => boolean): Partial<LedgerRules> {
  return {
    takesEffect: (effect, record) => !isUnseen(record) && takesEffect(effect, record),
    precedes: (record, best) => !isUnseen(record) && precedes(record, best),
    provesFoldWrong: (effect, record) => !isUnseen(record) && provesFoldWrong(effect, record),
  };
}
