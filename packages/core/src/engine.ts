/**
 * The pure engines, for whoever runs them against a world of their own: simulations, searches and tests. An adapter has no
 * business here: `@leadership/core/ledger` drives them for it.
 *
 * @packageDocumentation
 */

export { inductionBackendUnder } from './induction/backend.ts';
export type { Bracket, BrokerClock, Sample } from './induction/broker-clock.ts';
export { type InductionRules, inductionRules } from './induction/rules.ts';
export { type InductionSettings, inductionGuarantees, inductionSettings } from './induction/settings.ts';
export type {
  Absence,
  InducedReign,
  InducedTenure,
  Inductee,
  InductionInput,
  InductionOutput,
  InductionState,
  InductionStep,
  LeaderHeard,
  Sent,
  Successor,
} from './induction/state.ts';
export { newInduction, stepInduction } from './induction/step.ts';
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
