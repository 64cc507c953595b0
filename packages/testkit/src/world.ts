/**
 * What every simulated world is made of: time that runs only when something happens, clocks that drift, and dice that a seed decides.
 * The protocols and their faults come from whoever simulates them.
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
