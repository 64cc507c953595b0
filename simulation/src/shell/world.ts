// A world of whole sources: each process runs a source, with its application, over the store, the way
// to it and the faults of the worlds of rows.
import type { Role } from '@leadership/core';
import type { Clock } from '@leadership/core/adapter';
import type { Source } from '@leadership/core/internal/sessions';
import type { Real } from '../kernel/clock.ts';
import { clockOf } from '../kernel/process.ts';
import { between, happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import type { Overrides as RowsOverrides } from '../rows/mutants.ts';
import type { Scenario as RowsScenario } from '../rows/scenario.ts';
import { Node as RowsNode, type World as RowsWorld } from '../rows/world.ts';
import type { Port } from './port.ts';
import type { Seams } from './seams.ts';

/** The conditions of a world. */
export interface Scenario extends RowsScenario {
  /** Whether the store can only list its rows and replace them. */
  readonly polls: boolean;
  /** Share of the work that throws while its member leads. */
  readonly throwsShare: number;
}

/** The parts that a mutant replaces: rules, promises of the store, and what surrounds the machine. */
export interface Overrides extends RowsOverrides {
  readonly seams?: Partial<Seams>;
}

/** Work that runs. */
export interface Work {
  readonly token: bigint;
  /** Until when its term lasts at least, by the clock of the process, if its drain times out. */
  until: number;
  /** Whether its term has ended before it. */
  isFenced: boolean;
  /** Since when its term is over, if it was not told so. */
  overSince: Real | undefined;
}

/** One process: a source and its application. */
export class Node extends RowsNode {
  source!: Source;
  port!: Port;
  roles: readonly Role[] = [];
  /** The work that runs, by partition. */
  readonly works: Map<number, Work> = new Map();
  /** The streams that have not completed, and the timers that are set. */
  openStreams: Set<string> = new Set();
  timers: Set<object> = new Set();
  closing: 'no' | 'begun' | 'done' = 'no';
}

export interface World extends RowsWorld {
  readonly scenario: Scenario;
  readonly nodes: readonly Node[];
  readonly seams: Seams;
  /** Until when the beliefs were judged, and the partitions that were led then. */
  judgedUntil: number;
  readonly led: boolean[];
}

/** How late a turn of the event loop comes, and how late at most if the loop is busy. Milliseconds. */
const turnMs = 0.01;
const busyMsMax = 40;
const busyShare = 0.005;

/** Returns the clock of the present life of a process, with the turns of its event loop. */
export function clockIn(world: World, node: Node): Clock {
  const clock = clockOf(world, node);
  const { timers, life } = node;
  return {
    ...clock,
    wake(at, callback) {
      const timer = {};
      if (at < Number.POSITIVE_INFINITY) timers.add(timer);
      const wake = clock.wake(at, () => {
        timers.delete(timer);
        callback();
      });
      return {
        [Symbol.dispose]() {
          timers.delete(timer);
          wake[Symbol.dispose]();
        },
      };
    },
    turn(callback) {
      if (node.life !== life) return;
      const { random } = world;
      const ms = happens(random, busyShare) ? between(random, turnMs, busyMsMax) : turnMs;
      scheduleFor(world, node, ms, call, callback);
    },
  };
}

function call(_world: World, callback: () => void): void {
  callback();
}
