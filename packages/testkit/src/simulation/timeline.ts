// The time of a simulated world, of whichever protocol: it runs only when something happens.
import type { Real } from './clock.ts';
import { contentsHash } from './contents.ts';
import { firstTime, newQueue, push, type Queue, shift } from './queue.ts';

/** How far a world has got, and what is still to happen in it. */
export interface Timeline<Happening> {
  readonly queue: Queue<Happening>;
  now: Real;
  happenings: number;
  /** Two halves of the hash over everything that has happened. */
  readonly hash: [number, number];
}

/** Of a world in which nothing has happened yet. */
export function newTimeline<Happening>(seed: number): Timeline<Happening> {
  return { queue: newQueue(), now: 0, happenings: 0, hash: [seed | 0, ~seed] };
}

/** Something happens after `ms`. */
export function soon<Happening>(timeline: Timeline<Happening>, ms: number, happening: Happening): void {
  push(timeline.queue, timeline.now + ms, happening);
}

/** Lets everything happen that happens until then, in the order of its time. */
export function letHappen<Happening>(timeline: Timeline<Happening>, until: Real, happen: (happening: Happening) => void): void {
  const { queue } = timeline;
  for (let at = firstTime(queue); at <= until; at = firstTime(queue)) {
    timeline.now = at;
    happen(shift(queue));
  }
  timeline.now = until;
}

/** Folds one event into the hash: its time, the node and that node's life, what or where it is, and its contents. */
export function note(timeline: Timeline<unknown>, node: number, life: number, what: number, contents: unknown): void {
  const { hash, now } = timeline;
  timeline.happenings += 1;
  const place = Math.imul(now * 4096, 0x85ebca6b) ^ (node + (what << 8) + (life << 16));
  const folded = Math.imul(place ^ contentsHash(contents), 0xc2b2ae35) ^ place;
  hash[0] = Math.imul(hash[0] ^ folded, 0x01000193);
  hash[1] = (Math.imul(hash[1], 31) + folded) | 0;
}

/** The hash over everything that has happened so far, as 16 hexadecimal digits: equal for equal histories. */
export function historyHash({ hash }: Timeline<unknown>): string {
  return hash.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** How far a run goes. */
export interface Course<Outcome> {
  readonly ms: number;
  readonly stretchMs: number;
  /** Whether what it came to so far is worth going on. */
  readonly goesOn: (soFar: Outcome) => boolean;
}

/** Runs a stretch at a time. `run` runs until that instant, and says what it all came to. */
export function inStretches<Outcome>({ ms, stretchMs, goesOn }: Course<Outcome>, run: (until: Real) => Outcome): Outcome {
  for (let until = Math.min(ms, stretchMs); ; until = Math.min(ms, until + stretchMs)) {
    const outcome = run(until);
    if (until >= ms || !goesOn(outcome)) return outcome;
  }
}
