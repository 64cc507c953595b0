/**
 * The ledger lease and induction below the port `Rows`, for the stores of this repository that are
 * not rows of a server: files, Kafka and Kinesis.
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
export { presenceRowName, requestRowName } from '../adapter/rows/names.ts';
export { rowPresence } from '../adapter/rows/presence.ts';
export type { PinnedFields } from '../adapter/rows/register-row.ts';
export { type TableParts, tableLedger } from '../adapter/rows/table-ledger.ts';
export type { PinAgreement } from '../adapter/rows/table-options.ts';
export { readingMsMax } from '../adapter/rows/table-store.ts';
export type { Assigned, Assignment } from '../induction/assignment.ts';
export { inductionBackend } from '../induction/backend.ts';
export type { Beat } from '../induction/beat.ts';
export { formatBeat, parseBeat } from '../induction/beat-envelope.ts';
export type { BeatEvent, Beats } from '../induction/beats.ts';
export type { InductionOptions, InductionParts, InductionTraits } from '../induction/options.ts';
export { type LedgerTraits, ledgerBackend } from '../ledger/backend.ts';
export { type BalancedOptions, balanced } from '../ledger/balanced.ts';
export { formatRecord, toRecord } from '../ledger/envelope.ts';
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
export { type LedgerRecord, pinRecordOf, pinRegister } from '../ledger/record.ts';
