/**
 * The pure engines, for code that drives them in its own environment: simulations, searches and
 * tests. Adapters use `@leadership/core/ledger` instead, which drives the engine for them.
 *
 * @packageDocumentation
 */

export { inductionBackendUnder } from './induction/backend.ts';
export type { Bracket, BrokerClock, Sample } from './induction/protocol/broker-clock.ts';
export { type InductionRules, inductionRules } from './induction/protocol/rules.ts';
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
} from './induction/protocol/state.ts';
export { newInduction, stepInduction } from './induction/protocol/step.ts';
export { type InductionSettings, inductionGuarantees, inductionSettings } from './induction/settings.ts';
export { ledgerBackendUnder } from './ledger/backend.ts';
export type { Fold, Found, Waits } from './ledger/protocol/fold.ts';
export { newPin, type PinInput, type PinState, type PinStep, stepPin } from './ledger/protocol/pin.ts';
export { type LedgerRules, ledgerRules } from './ledger/protocol/rules.ts';
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
} from './ledger/protocol/state.ts';
export { newPartition, step } from './ledger/protocol/step.ts';
