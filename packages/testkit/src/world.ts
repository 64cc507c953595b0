/**
 * The protocol-independent parts of a simulated world: time that advances from event to event,
 * clocks that drift, and randomness from a seed. Each simulation adds its protocol and its
 * faults.
 *
 * @packageDocumentation
 */

export {
  type Clock,
  changeRate,
  type Drifting,
  driftedRate,
  type Local,
  localAt,
  momentAt,
  type Real,
  realAt,
} from './simulation/clock.ts';
export { type Explored, explore, type Maze, type Move } from './simulation/exhaustive/explore.ts';
export { beyond, type Findings, noteViolation, timesIn, type Violation, verdictOf } from './simulation/findings.ts';
export { type LedTime, leaderlessShare, noteEnded, noteLed } from './simulation/led-time.ts';
export { push, type Queue } from './simulation/queue.ts';
export { between, happens, leaning, pick, type Random, randomFrom, there } from './simulation/random.ts';
export {
  type Course,
  historyHash,
  inStretches,
  letHappen,
  newTimeline,
  note,
  soon,
  type Timeline,
} from './simulation/timeline.ts';
export { about, delayMs, type Network, type Weather } from './simulation/weather.ts';
