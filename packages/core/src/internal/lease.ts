/**
 * The ledger lease, for the stores of this repository that it still serves: Kafka and Kinesis.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { type RowLeaseRequests, rowLeaseRequests } from '../adapter/rows/lease-requests.ts';
export {
  type MemberRow,
  type MemberRows,
  memberRowsIn,
  type OwnRow,
} from '../adapter/rows/member-rows.ts';
export { presenceRowName, registerRowName, requestRowName } from '../adapter/rows/names.ts';
export { rowPresence } from '../adapter/rows/presence.ts';
export type { PinnedFields } from '../adapter/rows/register-row.ts';
export type { RowChange, RowOutcome, Rows } from '../adapter/rows/rows.ts';
export { type TableParts, tableLedger } from '../adapter/rows/table-ledger.ts';
export type { PinAgreement } from '../adapter/rows/table-options.ts';
export { readingMsMax } from '../adapter/rows/table-store.ts';
export { type LedgerTraits, ledgerBackend } from '../ledger/backend.ts';
export { type BalancedOptions, balanced } from '../ledger/balanced.ts';
export { formatRecord, parseRecord, toRecord } from '../ledger/envelope.ts';
export type {
  LeaseRequest,
  LeaseRequests,
  Ledger,
  LedgerEvent,
  TokenFloor,
  WriteOutcome,
} from '../ledger/ledger.ts';
export { PinnedValues } from '../ledger/pinned-values.ts';
export type { Holding, LedgerParts, Placement, Presence, Ranks } from '../ledger/placement.ts';
export { holderOf, type LedgerRecord, pinRecordOf, pinRegister } from '../ledger/record.ts';
