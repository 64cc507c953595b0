/**
 * The simulated world: the production engine under drifting clocks, a bad network, dying processes and forgetful stores, in
 * virtual time. A seed decides a history bit for bit.
 *
 * @packageDocumentation
 */

export { drifts, long, paced, short } from './simulation/exhaustive/questions.ts';
export { type Answer, search } from './simulation/exhaustive/search.ts';
export type { Question } from './simulation/exhaustive/situation.ts';
export type { HostRules } from './simulation/host-rules.ts';
export { hunt, isCaught } from './simulation/hunt.ts';
export { huntInduction } from './simulation/induction/hunt.ts';
export { type InductionMutant, inductionMutants } from './simulation/induction/mutants.ts';
export type { InductionScenario, MisfortuneKind, Rhythm } from './simulation/induction/scenario.ts';
export { inductionScenarioNamed, inductionScenarios } from './simulation/induction/scenarios.ts';
export { type InductionOutcome, simulateInduction } from './simulation/induction/simulate.ts';
export { type InductionJourney, tourInduction } from './simulation/induction/tour.ts';
export { type Mutant, mutants } from './simulation/mutants.ts';
export type { Bounds, Draining, FaultKind, Scenario } from './simulation/scenario.ts';
export { scenarioNamed, scenarios } from './simulation/scenarios.ts';
export { type Departure, type Outcome, simulate } from './simulation/simulate.ts';
export { type Size, sized, usualSize } from './simulation/sized.ts';
export { isSound, type Journey, tour } from './simulation/tour.ts';
export type { Network } from './simulation/weather.ts';
export type { Belief } from './simulation/world.ts';
