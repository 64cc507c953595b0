import type { Clock } from '../time/clock.ts';
import { pause } from './pause.ts';

/** Back-off between tries: doubles from the first to the last, with jitter, and relaxes when something succeeds. Milliseconds. */
export interface BackOff {
  readonly firstMs: number;
  readonly lastMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Something that ought to go on until its signal aborts. */
export interface Endeavour {
  /** Goes on for as long as it can; calls `succeeded` whenever it got somewhere. */
  readonly attempt: (succeeded: () => void) => Promise<void>;
  /** It threw, or ended although nobody asked it to; `false` gives it up. */
  readonly broke: (error: unknown) => boolean;
  /** It is about to be tried once more. */
  readonly again?: () => void;
}

/** Tries until the signal aborts, or `broke` gives it up. Never rejects. */
export async function keepTrying({ attempt, broke, again }: Endeavour, backOff: BackOff, clock: Clock, signal: AbortSignal): Promise<void> {
  let waitMs = backOff.firstMs;
  const succeeded = (): void => {
    waitMs = backOff.firstMs;
  };
  const endedBy = async (): Promise<unknown> => {
    await attempt(succeeded);
    return new Error('it ended although it is still wanted');
  };
  while (!signal.aborted) {
    const error = await endedBy().catch((thrown: unknown) => thrown);
    if (signal.aborted || !broke(error)) return;
    await pause(clock, waitMs * (0.5 + backOff.random() / 2), signal);
    waitMs = Math.min(2 * waitMs, backOff.lastMs);
    if (!signal.aborted) again?.();
  }
}
