// Finds what a closed source leaves open in a test.
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Returns what keeps this process alive now: timers, sockets, pipes, requests to the file system.
 * One word per resource, sorted.
 */
export function resourcesInUse(): readonly string[] {
  return process.getActiveResourcesInfo().sort();
}

/** Returns the resources that are in use now but were not `before`. */
export function resourcesLeft(before: readonly string[]): readonly string[] {
  const known = [...before];
  return resourcesInUse().filter((resource) => {
    const index = known.indexOf(resource);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
}

/** The polling period in milliseconds. */
const periodMs = 2;

/**
 * Resolves once nothing is in use that was not `before`; rejects with the names of the resources
 * left after `withinMs`. Resources that a process creates once and keeps (thread pools, caches) are
 * not leaks: create them before the first call.
 */
export async function expectNoResourcesLeft(
  before: readonly string[],
  withinMs = 5_000,
): Promise<void> {
  const left = await resourcesLeftAfter(before, withinMs);
  if (left.length > 0) throw new Error(`still in use after ${withinMs} ms: ${left.join(', ')}`);
}

/**
 * Resolves with nothing as soon as nothing is in use that was not `before`, or with what is, after
 * `withinMs` and at least `looksMin` looks.
 */
export async function resourcesLeftAfter(
  before: readonly string[],
  withinMs: number,
  looksMin = 1,
): Promise<readonly string[]> {
  const until = performance.now() + withinMs;
  for (let looks = 1; ; looks += 1) {
    const left = resourcesLeft(before);
    if (left.length === 0 || (looks >= looksMin && performance.now() >= until)) return left;
    await pause(periodMs);
  }
}
