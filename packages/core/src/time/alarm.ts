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
 * wake-up. It makes at most `perTurn` calls in one turn of the event loop and continues with the
 * next index in the next turn, because the work behind a thousand renewals would block the loop.
 */
export function alarm(
  clock: Clock,
  due: (index: number) => void,
  perTurn: number = Number.POSITIVE_INFINITY,
): Alarm {
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
    // Most calls postpone a wake-up, so the comparison comes first.
    if (at >= armedFor || disposed || turn.isSpent) return;
    disarm();
    armedFor = at;
    timer = clock.wake(at, fire);
  };
  const armFirst = (): void =>
    arm(wakes.reduce((first, at) => Math.min(first, at) as Instant, never));
  const turn = turnBudget(clock, perTurn, armFirst);
  const fire = (): void => {
    disarm();
    const now = clock.now();
    const from = next;
    for (let step = 0; step < wakes.length && !turn.isSpent; step += 1) {
      const index = (from + step) % wakes.length;
      if ((wakes[index] ?? never) > now) continue;
      wakes[index] = never;
      turn.spend();
      next = index + 1;
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
      turn[Symbol.dispose]();
      disarm();
    },
  };
}

/** Counts calls in one turn of the event loop; `renewed` is called in the next one. */
function turnBudget(clock: Clock, perTurn: number, renewed: () => void) {
  let used = 0;
  let end: Disposable | undefined;
  return {
    get isSpent(): boolean {
      return used >= perTurn;
    },
    spend(): void {
      if (perTurn === Number.POSITIVE_INFINITY) return;
      used += 1;
      end ??= clock.wake(clock.now(), () => {
        end = undefined;
        used = 0;
        renewed();
      });
    },
    [Symbol.dispose]: () => end?.[Symbol.dispose](),
  };
}
