// One timer for the wake-ups of all partitions of a member.
import type { Clock } from './clock.ts';
import { type Instant, never } from './instant.ts';

/** Many wake-ups on one timer. Postponing a wake-up costs no timer call. */
export interface Alarm extends Disposable {
  /** Sets the wake-up of `index` to `at`, replacing the previous one. */
  set(index: number, at: Instant): void;
}

/**
 * Creates an alarm. It calls `due` once for each index whose instant has passed, and clears that
 * wake-up.
 */
export function alarm(clock: Clock, due: (index: number) => void): Alarm {
  const wakes: Instant[] = [];
  let armedFor: Instant = never;
  let timer: Disposable | undefined;
  let disposed = false;
  const disarm = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    armedFor = never;
  };
  const arm = (at: Instant): void => {
    // Most calls postpone a wake-up, so the comparison comes first.
    if (at >= armedFor || disposed) return;
    disarm();
    armedFor = at;
    timer = clock.wake(at, fire);
  };
  const armFirst = (): void =>
    arm(wakes.reduce((first, at) => Math.min(first, at) as Instant, never));
  const fire = (): void => {
    disarm();
    const now = clock.now();
    for (const [index, at] of wakes.entries()) {
      if (at > now) continue;
      wakes[index] = never;
      due(index);
    }
    armFirst();
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
