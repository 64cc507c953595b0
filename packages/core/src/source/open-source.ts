import type { Backend } from '../contract/backend.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import type { Clock } from '../time/clock.ts';
import { monotonicClock } from '../time/monotonic-clock.ts';
import { Source } from './source.ts';

/** What a test may replace. */
export interface SourceParts {
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** A source over a backend: what every adapter's factory ends with. Starts at once; `ready()` waits for the backend. */
export function openSource(backend: Backend, options: ResolvedOptions, parts: SourceParts = {}): LeadershipSource {
  const { clock = monotonicClock, random = Math.random } = parts;
  return new Source(backend, options, clock, random);
}
