// The simulated time of a world, for any protocol. Time advances only from event to event.
import type { Real } from './clock.ts';
import { contentsHash } from './contents.ts';
import { firstTime, newQueue, push, type Queue, shift } from './queue.ts';

/** The progress of a world, and its pending events. */
export interface Timeline<Happening> {
  readonly queue: Queue<Happening>;
  now: Real;
  happenings: number;
  /** The two halves of the hash over all events so far. */
  readonly hash: [number, number];
}

/** Returns the timeline of a world before its first event. */
export function newTimeline<Happening>(seed: number): Timeline<Happening> {
  return { queue: newQueue(), now: 0, happenings: 0, hash: [seed | 0, ~seed] };
}

/** Schedules an event after `ms` milliseconds. */
export function soon<Happening>(
  timeline: Timeline<Happening>,
  ms: number,
  happening: Happening,
): void {
  push(timeline.queue, timeline.now + ms, happening);
}

/** Processes all events up to `until`, in the order of their time. */
export function letHappen<Happening>(
  timeline: Timeline<Happening>,
  until: Real,
  happen: (happening: Happening) => void,
): void {
  const { queue } = timeline;
  for (let at = firstTime(queue); at <= until; at = firstTime(queue)) {
    timeline.now = at;
    happen(shift(queue));
  }
  timeline.now = until;
}

/**
 * Adds one event to the hash: its time, the node and its life, and the kind or lane. For every 16th
 * event it adds the contents. Hashing all contents took a fifth of the CPU time, and two histories
 * whose contents differ once differ in many later events.
 */
export function note(
  timeline: Timeline<unknown>,
  node: number,
  life: number,
  what: number,
  contents: unknown,
): void {
  const { hash, now } = timeline;
  const sampled = (timeline.happenings & 15) === 0 ? contentsHash(contents) : 0;
  timeline.happenings += 1;
  const place = Math.imul(now * 4096, 0x85ebca6b) ^ (node + (what << 8) + (life << 16));
  const folded = Math.imul(place ^ sampled, 0xc2b2ae35) ^ place;
  hash[0] = Math.imul(hash[0] ^ folded, 0x01000193);
  hash[1] = (Math.imul(hash[1], 31) + folded) | 0;
}

/**
 * Returns the hash over all events so far as 16 hexadecimal digits. Equal histories have equal
 * hashes.
 */
export function historyHash({ hash }: Timeline<unknown>): string {
  return hash.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The length of a run, and when to stop it early. */
export interface Course<Outcome> {
  readonly ms: number;
  readonly stretchMs: number;
  /** Returns whether the run continues, given its outcome so far. */
  readonly goesOn: (soFar: Outcome) => boolean;
}

/**
 * Runs one stretch at a time. `run` runs until the given instant and returns the outcome of the
 * whole run so far.
 */
export function inStretches<Outcome>(
  { ms, stretchMs, goesOn }: Course<Outcome>,
  run: (until: Real) => Outcome,
): Outcome {
  for (let until = Math.min(ms, stretchMs); ; until = Math.min(ms, until + stretchMs)) {
    const outcome = run(until);
    if (until >= ms || !goesOn(outcome)) return outcome;
  }
}
