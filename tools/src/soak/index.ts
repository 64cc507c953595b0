/**
 * Soak tests: random faults in real processes, and checks of the events that they report.
 *
 * @packageDocumentation
 */
export type { EnvironmentFault, MemberFault, SoakContext, SoakEnvironment } from './environment.ts';
export { judgedSoak } from './judged-soak.ts';
