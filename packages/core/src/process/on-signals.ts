// Implements the option `signals` of a source: calls back when the process receives a signal to
// end.
import { constants } from 'node:os';

/** The signals that ask a process to end: those of process managers, and of Ctrl-C. */
const endSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

/**
 * A signal within this time after the first one is the same request: on Ctrl-C, the terminal sends
 * one to all processes, and npm passes it on once more. Milliseconds.
 */
const sameRequestMs = 500;

/**
 * Calls `callback` at the first of these signals. A later one ends the process at once, as without
 * this listener, unless the application listens too. From the first one on, a channel to the parent
 * process does not keep this process alive. Disposing removes the listeners.
 */
export function onSignals(
  signals: boolean | readonly NodeJS.Signals[],
  callback: () => void,
): Disposable {
  const names = signals === true ? endSignals : signals === false ? [] : signals;
  let firstAt: number | undefined;
  const stop = (): void => {
    for (const name of names) process.off(name, receive);
  };
  const receive = (name: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      // A process manager such as PM2 holds a channel to the process. It would keep a process alive
      // that has nothing left to do, and kill it later.
      process.channel?.unref();
      callback();
    } else if (performance.now() - firstAt >= sameRequestMs) {
      stop();
      if (process.listenerCount(name) === 0) process.kill(process.pid, name);
    }
  };
  for (const name of names) process.on(name, receive);
  return { [Symbol.dispose]: stop };
}

/** The signals that the system never delivers to a process. Node throws an error that names neither. */
export const neverReceived: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGSTOP'];

/** Returns whether this platform has a signal of that name. */
export function isSignalName(name: unknown): name is NodeJS.Signals {
  return typeof name === 'string' && Object.hasOwn(constants.signals, name);
}
