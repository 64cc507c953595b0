/**
 * The machine of the ledger lease, for code that runs it in its own environment: simulations,
 * searches and tests. Resolves only under the condition `@leadership/internal`.
 *
 * @internal
 * @packageDocumentation
 */
export type { LeaseRequest, WriteOutcome } from '../ledger/ledger.ts';
export { newPin, type PinInput, type PinState, stepPin } from '../ledger/protocol/pin.ts';
export { type LedgerRules, ledgerRules } from '../ledger/protocol/rules.ts';
export type {
  Death,
  Fold,
  LedgerInput,
  LedgerOutput,
  MemberConfig,
  PartitionState,
} from '../ledger/protocol/state.ts';
export { newPartition, step } from '../ledger/protocol/step.ts';
export { holderOf, type LedgerRecord, pinRegister } from '../ledger/record.ts';
export { type Observation, provesDeath } from '../process/guard/proof.ts';
