import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';

/** The callbacks of a drain. */
export interface DrainUpdate {
  /** Half of the time is over. The result is disposed when the drain ends. */
  slow(): Disposable | undefined;
  /** The time is over. */
  timedOut(): void;
}

/** Measures the time of a drain (H3). Dispose it when the drain has ended. */
export function drainTimer(
  clock: Clock,
  timeoutMs: number,
  { slow, timedOut }: DrainUpdate,
): Disposable {
  const beganAt = clock.now();
  let isOver = false;
  let slowness: Disposable | undefined;
  const end = (): void => timedOut();
  let timer = clock.wake(after(beganAt, timeoutMs / 2), () => {
    if (timeoutMs > 0) slowness = slow();
    // The callback may have ended the drain.
    if (isOver) slowness?.[Symbol.dispose]();
    else timer = clock.wake(after(beganAt, timeoutMs), end);
  });
  return {
    [Symbol.dispose]() {
      isOver = true;
      timer[Symbol.dispose]();
      slowness?.[Symbol.dispose]();
    },
  };
}
