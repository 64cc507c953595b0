// Starts, stops and wakes a simulated process, in worlds of every protocol.
import type { Clock, Instant } from '@leadership/core/adapter';
import { between } from './random.ts';
import { type Handler, scheduleFor, type Timeline } from './timeline.ts';
import type { Process, World } from './world.ts';

/** Starts the clocks of a process, which campaigns and is not troubled. */
export function beginLife(world: World, node: Process, slots: number): void {
  const { driftRate, wallOffsetMsMax } = world.scenario;
  node.clock.restart(world.random, driftRate, wallOffsetMsMax);
  node.alive = true;
  node.campaigning = true;
  node.startedAt = world.now;
  node.pausedUntil = 0;
  node.troubledUntil = 0;
  node.wakes = Array.from({ length: slots }, () => Number.POSITIVE_INFINITY);
  node.dues = [...node.wakes];
}

/** Stops a process, which loses all its state. */
export function endLife(node: Process): void {
  node.alive = false;
  node.life += 1;
}

/** Schedules the first start of every process, at a random time before `ms`. */
export function startAll<W extends World<Node>, Node extends Process>(
  world: W,
  ms: number,
  start: Handler<W, Node, undefined>,
): void {
  for (const node of world.nodes)
    scheduleFor(world, node, between(world.random, 0, ms), start, undefined);
}

/** Delay of every timer, in milliseconds. Timers fire late, never early. */
const timerLateMs = 0.01;

/** Returns the delay until a timer fires that is due at `at` by the clock of the process. */
function timerMs(world: Timeline, { clock }: Process, at: number): number {
  return Math.max(clock.realAt(at) - world.now, 0) + timerLateMs;
}

/**
 * Schedules a wake-up of the slot by `dueAt`. An earlier wake-up that is already scheduled
 * schedules itself again.
 */
export function wakeBy<W extends Timeline, Node extends Process>(
  world: W,
  node: Node,
  slot: number,
  dueAt: number,
  wake: Handler<W, Node, number>,
): void {
  node.dues[slot] = dueAt;
  if (dueAt === Number.POSITIVE_INFINITY) return;
  const ms = timerMs(world, node, dueAt);
  if ((node.wakes[slot] as number) <= world.now + ms) return;
  node.wakes[slot] = world.now + ms;
  scheduleFor(world, node, ms, wake, world.now + ms, slot);
}

/**
 * Returns whether the wake-up that was scheduled for `at` is due. If it has moved to a later
 * moment, schedules it again.
 */
export function isDue<W extends Timeline, Node extends Process>(
  world: W,
  node: Node,
  slot: number,
  at: number,
  wake: Handler<W, Node, number>,
): boolean {
  if (node.wakes[slot] !== at) return false;
  node.wakes[slot] = Number.POSITIVE_INFINITY;
  const dueAt = node.dues[slot] as number;
  if (node.clock.now() >= dueAt) return true;
  wakeBy(world, node, slot, dueAt, wake);
  return false;
}

/** A pending timer of the host. */
interface Timer {
  readonly at: Instant;
  readonly callback: () => void;
  isOver: boolean;
}

/**
 * Returns the clock of the present life of a process, as the production code sees it. Code of a life that is
 * over, whose promises still settle, sets no timer in the next life.
 */
export function clockOf(world: Timeline, node: Process): Clock {
  const { clock, life } = node;
  return {
    now: () => clock.now(),
    wallMicros: () => clock.wallMicros(),
    wake(at, callback) {
      const isOver = at === Number.POSITIVE_INFINITY || node.life !== life;
      const timer: Timer = { at, callback, isOver };
      if (!timer.isOver) scheduleFor(world, node, timerMs(world, node, at), ring, timer);
      return {
        [Symbol.dispose]() {
          timer.isOver = true;
        },
      };
    },
  };
}

function ring(world: Timeline, timer: Timer, node: Process): void {
  if (timer.isOver) return;
  if (node.clock.now() >= timer.at) timer.callback();
  else scheduleFor(world, node, timerMs(world, node, timer.at), ring, timer);
}
