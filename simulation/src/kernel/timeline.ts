// The simulated time of a world, for any protocol. Time advances only from event to event.
import type { Real } from './clock.ts';
import { addEvent, type History } from './history-hash.ts';
import { firstTime, push, type Queue, shift } from './queue.ts';

/** The process that an event is addressed to. */
export interface Addressee {
  readonly index: number;
  /** Increases when the process stops. */
  readonly life: number;
  /** Until when the process handles no events. */
  readonly pausedUntil: Real;
}

/**
 * Handles an event. One that is not addressed to a process gets no process, and the slot 0. A slot
 * is what the event concerns within its process: a partition, for example.
 */
export type Handler<World, Process, Content> = (
  world: World,
  content: Content,
  process: Process,
  slot: number,
) => void;

/** All events have one shape, so that the event loop stays monomorphic and fast. */
interface Event {
  readonly handle: Handler<never, never, never>;
  readonly process: Addressee | undefined;
  /** A restarted process ignores events that were addressed to its previous life. */
  readonly life: number;
  readonly slot: number;
  readonly content: unknown;
}

/** The progress of a world, and its pending events. */
export interface Timeline {
  readonly queue: Queue<Event>;
  now: Real;
  readonly history: History;
}

/** Schedules an event of the world after `ms` milliseconds. */
export function schedule<World extends Timeline, Content>(
  world: World,
  ms: number,
  handle: Handler<World, never, Content>,
  content: Content,
): void {
  push(world.queue, world.now + ms, { handle, process: undefined, life: 0, slot: 0, content });
}

/** Schedules an event of the present life of a process after `ms` milliseconds. */
export function scheduleFor<World extends Timeline, Process extends Addressee, Content>(
  world: World,
  process: Process,
  ms: number,
  handle: Handler<World, Process, Content>,
  content: Content,
  slot = 0,
): void {
  const { life } = process;
  push(world.queue, world.now + ms, { handle, process, life, slot, content });
}

/** Processes all events up to `until`, in the order of their time. */
export function runUntil(world: Timeline, until: Real): void {
  while (runNext(world, until)) {
    // The next event follows at once.
  }
}

/**
 * Does the same, and calls `follow` after each event: code that awaits promises goes on before the
 * next one.
 */
export async function runInTurns(
  world: Timeline,
  until: Real,
  follow: () => Promise<void>,
): Promise<void> {
  while (runNext(world, until)) await follow();
}

/** Processes the next event up to `until`. If there is none, time passes until then. */
function runNext(world: Timeline, until: Real): boolean {
  const { queue } = world;
  const at = firstTime(queue);
  if (at > until) {
    world.now = until;
    return false;
  }
  world.now = at;
  handle(world, shift(queue));
  return true;
}

function handle(world: Timeline, event: Event): void {
  const { process, content, slot, life } = event;
  const call = event.handle as Handler<Timeline, Addressee | undefined, unknown>;
  if (process === undefined) {
    addEvent(world.history, world.now, 0, content);
    return call(world, content, process, slot);
  }
  addEvent(world.history, world.now, process.index + (slot << 8) + (life << 16), content);
  if (process.life !== life) return;
  if (process.pausedUntil > world.now) push(world.queue, process.pausedUntil, event);
  else call(world, content, process, slot);
}
