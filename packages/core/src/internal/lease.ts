/**
 * The ledger lease, which no store uses any more: the form of the pins on a topic of Kafka, and the lease that
 * simulations, counted costs and wrong sources of tests still run.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { type LedgerTraits, ledgerBackend } from '../ledger/backend.ts';
export { type BalancedOptions, balanced } from '../ledger/balanced.ts';
export { formatRecord, parseRecord, toRecord } from '../ledger/envelope.ts';
export type {
  LeaseRequest,
  LeaseRequests,
  Ledger,
  LedgerEvent,
  WriteOutcome,
} from '../ledger/ledger.ts';
export { PinnedValues } from '../ledger/pinned-values.ts';
export type { Holding, LedgerParts, Placement, Presence, Ranks } from '../ledger/placement.ts';
export { holderOf, type LedgerRecord, pinRecordOf, pinRegister } from '../ledger/record.ts';
