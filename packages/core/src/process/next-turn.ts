// Waits for the next turn of the event loop. It uses the imported function, not the global one,
// which the fake timers of a test replace: a member would read only when the test advances its
// timers.
import { setImmediate } from 'node:timers';

/** Resolves in the next turn of the event loop, after its timers and IO. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
