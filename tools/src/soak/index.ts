/**
 * Long random faults over real processes, and the judgement of what they told.
 *
 * @packageDocumentation
 */
export type { Blow, Deed, Ground, Scene } from './ground.ts';
export { judgedSoak } from './judged-soak.ts';
