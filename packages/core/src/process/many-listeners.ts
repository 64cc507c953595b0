// Lets a signal of this library have one listener per partition without a warning.
import { setMaxListeners } from 'node:events';

/**
 * Removes the listener limit of an internal signal. One listener per partition is not a leak, but
 * Node would warn of one.
 */
export function manyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
