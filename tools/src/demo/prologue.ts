import { type Line, span } from './line.ts';
import type { Setting } from './news.ts';

/** What there is to see. */
export function prologue({ backend, home, members, thresholdMs, guarantees }: Setting): readonly Line[] {
  const title = span(`${members.length} members on the ${backend} backend, in ${home}; T is ${thresholdMs} ms.`, 'bold');
  const promise = span(`Promised: one leader at a time; one that crashed is replaced within ${guarantees.failoverMsMax} ms.`);
  const wait = span('An empty store may have had a leader just now: nobody leads before T is over.', 'dim');
  return [[], [span('  '), title], [span('  '), promise], ...(backend === 'memory' ? [] : [[span('  '), wait]]), []];
}
