import type { Instant } from './instant.ts';

/** The only view of time that protocols have: one monotonic clock to decide by, one wall clock to label tokens with (T1). */
export interface Clock {
  /** The monotonic clock, read in the call. */
  now(): Instant;
  /** Microseconds since 1970 by the wall clock. Decides nothing; tokens grow by it when a store has lost everything. */
  wallMicros(): number;
  /** Calls `news` once, at `at` or later, never earlier by this clock. Disposing takes it back. */
  wake(at: Instant, news: () => void): Wake;
}

/** A wake-up that is set. */
export interface Wake extends Disposable {
  /** The process need not stay alive for it. */
  unref?(): void;
}
