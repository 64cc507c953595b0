/**
 * The state machine of induction (rules I of the protocol), for simulations and tests, which supply
 * its clock and messages. Importable only with Node's condition `@leadership/internal`.
 *
 * @internal
 * @packageDocumentation
 */
export { inductionBackendUnder } from '../induction/backend.ts';
export { type InductionRules, inductionRules } from '../induction/protocol/rules.ts';
export type {
  InductionInput,
  InductionOutput,
  InductionState,
  MemberConfig,
} from '../induction/protocol/state.ts';
export { newInduction, stepInduction } from '../induction/protocol/step.ts';
export { type InductionSettings, inductionGuarantees } from '../induction/settings.ts';
