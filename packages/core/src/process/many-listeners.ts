import { setMaxListeners } from 'node:events';

/** Lets any number listen to a signal of our own: one listener per partition is no leak, and Node would warn of one. */
export function manyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
