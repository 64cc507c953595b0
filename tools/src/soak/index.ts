/**
 * Long random faults over real processes, and the judgement of what they told.
 *
 * @packageDocumentation
 */
export { figures } from './figures.ts';
export type { Blow, Deed, Ground, Scene } from './ground.ts';
export { type SoakReport, soak } from './soak.ts';
