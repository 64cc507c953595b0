/**
 * The ledger lease, which no store uses any more: the form of the pins on a topic of Kafka, and the parts
 * of its records that simulations still read.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { formatRecord, parseRecord } from '../ledger/envelope.ts';
export type { LeaseRequest, WriteOutcome } from '../ledger/ledger.ts';
export { PinnedValues } from '../ledger/pinned-values.ts';
export type { Holding } from '../ledger/placement.ts';
export { holderOf, type LedgerRecord, pinRecordOf, pinRegister } from '../ledger/record.ts';
