import type { Backend } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { unsupportedNode } from '../process/supported-node.ts';
import type { Clock } from '../time/clock.ts';
import { monotonicClock } from '../time/monotonic-clock.ts';
import { Source } from './source.ts';

/** What a test may replace. */
export interface SourceParts {
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
}

/**
 * A source over a backend: what every adapter's factory ends with. Starts at once; `ready()` waits for the backend.
 * @throws LeadershipError `unsupported-runtime` on a version of Node that lacks what the library needs
 */
export function openSource(backend: Backend, options: ResolvedOptions, parts: SourceParts = {}): LeadershipSource {
  const unsupported = unsupportedNode();
  if (unsupported !== undefined) throw new LeadershipError('unsupported-runtime', unsupported);
  const { clock = monotonicClock, random = Math.random } = parts;
  return new Source(backend, options, clock, random);
}
