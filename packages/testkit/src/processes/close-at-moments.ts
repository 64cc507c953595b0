// Opens and closes a source at every moment of its start, and finds what it leaves open.
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { resourcesInUse, resourcesLeftAfter } from '../faults/resources.ts';
import type { Journal } from './journal.ts';

/** A moment of a start. */
interface Moment {
  readonly name: string;
  /** Resolves at the moment; `undefined` for the turn in which the source was opened. */
  readonly reached: (source: LeadershipSource) => Promise<unknown> | undefined;
}

/** Whether a connection, a login or the first request is in flight then differs by store. */
const delaysMs = [1, 2, 4, 8, 16, 32, 64, 128];
/** How long a member may take to lead before it is closed anyway. Milliseconds. */
const leadingMs = 20_000;

const moments: readonly Moment[] = [
  { name: 'in the turn in which it was opened', reached: () => undefined },
  { name: 'in the next turn', reached: () => turn() },
  ...delaysMs.map((ms) => ({ name: `${ms} ms after it was opened`, reached: () => pause(ms) })),
  { name: 'once it was ready', reached: (source) => source.ready() },
  { name: 'while it led', reached: leading },
];

/**
 * How long handles may take to close. A timer of a client that is still pending then would keep the
 * process for as long as it runs. Milliseconds.
 */
const closingMs = 200;
/** A resource that is open for longer than that is assumed to stay open. Milliseconds. */
const stayingMs = 10_000;
/** On a starved machine the time is over before the event loop has closed anything. */
const turnsMin = 50;
/** A resource that is left open each time is a defect; one time may be a slow answer. */
const attempts = 3;

/**
 * Opens the source and closes it, at each moment of its start. Logs `left` for a moment after which
 * something stays open, or is open for too long each time.
 */
export async function closeAtMoments(
  open: () => Promise<LeadershipSource>,
  write: Journal,
): Promise<void> {
  for (const moment of moments) {
    const left = await leftBy(open, moment);
    if (left.length > 0)
      write({ kind: 'left', detail: `${left.join(', ')}: closed ${moment.name}` });
  }
}

/** Opens and closes the source until nothing is left open in time; returns what is left otherwise. */
async function leftBy(
  open: () => Promise<LeadershipSource>,
  { reached }: Moment,
): Promise<readonly string[]> {
  const before = resourcesInUse();
  for (let attempt = 1; ; attempt += 1) {
    const source = await open();
    const moment = reached(source);
    if (moment !== undefined) await moment.catch(() => undefined);
    await source.close();
    const left = await resourcesLeftAfter(before, closingMs, turnsMin);
    if (left.length === 0 || attempt === attempts) return left;
    const stays = await resourcesLeftAfter(before, stayingMs, turnsMin);
    if (stays.length > 0) return stays;
  }
}

async function leading(source: LeadershipSource): Promise<void> {
  const until = performance.now() + leadingMs;
  while (!source.role(0).isLeading() && performance.now() < until) await pause(2);
}
