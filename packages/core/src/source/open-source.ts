import type { Backend } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { nextTurn } from '../process/next-turn.ts';
import { unsupportedNode } from '../process/supported-node.ts';
import type { Clock } from '../time/clock.ts';
import { monotonicClock } from '../time/monotonic-clock.ts';
import { connectGuard, isGuardNamed } from './guarded.ts';
import { Source } from './source.ts';

const openedWithoutUrl = {
  problem: 'it was not opened by a URL, so a guard cannot open the same group: use openLeadership',
};

/**
 * Opens a source over a backend, the last step of every adapter's factory. The source starts at
 * once; `ready()` waits for the backend.
 *
 * @throws LeadershipError `unsupported-runtime` on an unsupported version of Node
 */
export function openSource(
  backend: Backend,
  options: ResolvedOptions,
  parts: {
    /** The clock of the source and its backend. Default: {@link monotonicClock}. */
    readonly clock?: Clock;
    /** In [0, 1). Default: `Math.random`. */
    readonly random?: () => number;
  } = {},
): LeadershipSource {
  const unsupported = unsupportedNode();
  if (unsupported !== undefined) throw new LeadershipError('unsupported-runtime', unsupported);
  const { clock = monotonicClock, random = Math.random } = parts;
  const source = new Source(backend, options, { clock, random });
  // `openLeadership` has named the URL by then.
  if (isGuardNamed()) void nextTurn().then(() => connectGuard(source, openedWithoutUrl));
  return source;
}
