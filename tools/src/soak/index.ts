/**
 * Soak tests: random faults in real processes, and the judgement of what they recorder.
 *
 * @packageDocumentation
 */
export type { EnvironmentFault, MemberFault, SoakContext, SoakEnvironment } from './environment.ts';
export { judgedSoak } from './judged-soak.ts';
