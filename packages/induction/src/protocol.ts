/**
 * The state machine of induction (rules I of the protocol), for simulations and tests, which supply
 * its clock and messages. Importable only with Node's condition `@leadership/internal`.
 *
 * @packageDocumentation
 */
export { inductionBackendUnder } from './backend.ts';
export { type DeclinedPartitions, declinedPartitions } from './declined.ts';
export { type InductionRules, inductionRules } from './protocol/rules.ts';
export type {
  InductionInput,
  InductionOutput,
  InductionState,
  MemberConfig,
} from './protocol/state.ts';
export { newInduction, stepInduction } from './protocol/step.ts';
export { type InductionSettings, inductionGuarantees } from './settings.ts';
