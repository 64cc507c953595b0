import type { Clock } from './clock.ts';
import { type Instant, never } from './instant.ts';

/** Many wake-ups on one timer. Postponing a wake-up costs no timer call. */
export interface Alarm extends Disposable {
  /** Sets the wake-up of `index` to `at`, replacing the previous one. */
  set(index: number, at: Instant): void;
}

/**
 * Creates an alarm. It calls `due` once for each index whose instant has passed, and clears that
 * wake-up. It makes at most `perTurn` calls in one turn of the event loop and continues with the
 * next index in the next turn, because the work behind a thousand renewals would block the loop.
 */
export function alarm(clock: Clock, due: (index: number) => void, perTurn: number = Number.POSITIVE_INFINITY): Alarm {
  const wakes: Instant[] = [];
  let armedFor: Instant = never;
  let timer: Disposable | undefined;
  let disposed = false;
  /** Where the next turn begins, so that an index that is set repeatedly delays no other. */
  let next = 0;
  const disarm = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    armedFor = never;
  };
  const arm = (at: Instant): void => {
    if (disposed || at >= armedFor) return;
    disarm();
    armedFor = at;
    timer = clock.wake(at, ring);
  };
  const ring = (): void => {
    disarm();
    const now = clock.now();
    let woken = 0;
    const from = next;
    for (let step = 0; step < wakes.length && woken < perTurn; step += 1) {
      const index = (from + step) % wakes.length;
      if ((wakes[index] ?? never) > now) continue;
      wakes[index] = never;
      woken += 1;
      next = index + 1;
      due(index);
    }
    arm(wakes.reduce((first, at) => Math.min(first, at) as Instant, never));
  };
  return {
    set(index, at) {
      while (wakes.length <= index) wakes.push(never);
      wakes[index] = at;
      arm(at);
    },
    [Symbol.dispose]() {
      disposed = true;
      disarm();
    },
  };
}
