// Lists the streams of a source, for checks that hold for each of them.
import type { LeadershipSource } from '@leadership/core';
import type { Observable } from 'rxjs';

/** Returns the replaying streams of a source by name. */
export function streamsOf(source: LeadershipSource): ReadonlyMap<string, Observable<unknown>> {
  const role = source.role(0);
  return new Map<string, Observable<unknown>>([
    ['leadership$', role.leadership$],
    ['leader$', role.leader$],
    ['held$', source.held$],
    ['roster$', source.roster$],
  ]);
}
