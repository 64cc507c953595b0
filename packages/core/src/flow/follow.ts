import type { Clock } from '../time/clock.ts';
import { type BackOff, keepTrying } from './keep-trying.ts';

/** A stream to be followed for as long as its signal lasts, opened again whenever it breaks. */
export interface Following<T> {
  /** Opens it: the signal ends it. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  /** Takes one item. */
  readonly each: (item: T) => void;
  /** It broke, or ended although nobody asked it to; `false` gives it up. */
  readonly broke: (error: unknown) => boolean;
  /** It is about to be opened once more. */
  readonly reopened?: () => void;
}

/** Follows until the signal aborts, or `broke` gives it up. Never rejects. */
export function follow<T>(
  { open, each, broke, reopened }: Following<T>,
  backOff: BackOff,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (succeeded: () => void): Promise<void> => {
    for await (const item of open(signal)) {
      if (signal.aborted) return;
      succeeded();
      each(item);
    }
  };
  return keepTrying({ attempt, broke, ...(reopened && { again: reopened }) }, backOff, clock, signal);
}
