/**
 * The machine of induction, for code that runs it in its own environment: simulations and tests.
 * Resolves only under the condition `@leadership/internal`.
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
