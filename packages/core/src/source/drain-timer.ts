import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';

/** What happens while a drain goes on. */
export interface DrainNews {
  /** Half of its time is over. Disposed once the drain is. */
  slow(): Disposable;
  /** All of its time is over. */
  timedOut(): void;
}

/** Times a drain (H3). Dispose it once the drain is over. */
export function drainTimer(clock: Clock, timeoutMs: number, { slow, timedOut }: DrainNews): Disposable {
  const beganAt = clock.now();
  let isOver = false;
  let slowness: Disposable | undefined;
  const end = (): void => timedOut();
  let timer = clock.wake(after(beganAt, timeoutMs / 2), () => {
    if (timeoutMs > 0) slowness = slow();
    // Whoever hears of it may have ended the drain.
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
