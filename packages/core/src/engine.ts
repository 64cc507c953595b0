/**
 * The pure engines, for whoever runs them against a world of their own: simulations, searches and tests. An adapter has no
 * business here: `@leadership/core/ledger` drives them for it.
 *
 * @packageDocumentation
 */

export { ledgerBackendUnder } from './ledger/backend.ts';
export type { Fold, Found, Waits } from './ledger/fold.ts';
export { newPin, type PinInput, type PinState, type PinStep, stepPin } from './ledger/pin.ts';
export { type LedgerRules, ledgerRules } from './ledger/rules.ts';
export type {
  Abstention,
  Attempt,
  Believing,
  Contender,
  Heard,
  LedgerInput,
  LedgerOutput,
  Moment,
  OwnWant,
  PartitionState,
  Step,
  Tenure,
} from './ledger/state.ts';
export { newPartition, step } from './ledger/step.ts';
