import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';

/** A signal that aborts after a while. Dispose it once what it limits is over. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts `ms` from now by `clock`, then tells `passed`. An own time-out on every request, never the client library's default. */
export function timeLimit(clock: Clock, ms: number, passed: () => void): TimeLimit {
  const controller = new AbortController();
  const timer = clock.wake(after(clock.now(), ms), () => {
    controller.abort();
    passed();
  });
  return { signal: controller.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
