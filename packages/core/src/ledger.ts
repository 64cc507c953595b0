/**
 * The ledger lease (L): everything a new store needs. Implement {@link Ledger}, about a hundred lines
 * over one compare-and-set register per partition; `ledgerBackend` turns it into a backend with all
 * guarantees of the ledger lease.
 *
 * @packageDocumentation
 */

export { type Busy, busy } from './async/in-flight.ts';
export { type Bell, bell } from './async/notifier.ts';
export { type LedgerParts, type LedgerTraits, ledgerBackend } from './ledger/backend.ts';
export { balance } from './ledger/balance.ts';
export { type BalancedOptions, balanced } from './ledger/balanced.ts';
export { formatRecord, parseRecord, thresholdMsLimit, toRecord } from './ledger/envelope.ts';
export type { Ledger, LedgerNews, Want, Wants, Written } from './ledger/ledger.ts';
export type { Holding, Placement, Presence, Ranks } from './ledger/placement.ts';
export { type Delegate, holderOf, type LedgerRecord, pinRegister, type RecordKind } from './ledger/record.ts';
