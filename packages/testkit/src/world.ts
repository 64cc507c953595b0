/**
 * What every simulated world is made of: time that runs only when something happens, clocks that drift, and dice that a seed decides.
 * The protocols and their faults come from whoever simulates them.
 *
 * @packageDocumentation
 */

export { type Clock, changeRate, type Local, localAt, momentAt, type Real, realAt } from './simulation/clock.ts';
export { firstTime, newQueue, push, type Queue, shift } from './simulation/queue.ts';
export { between, happens, pick, type Random, randomFrom, there } from './simulation/random.ts';
