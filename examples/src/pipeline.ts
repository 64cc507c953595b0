// An RxJS pipeline that is subscribed only while this member leads.
import type { Role } from '@leadership/core';
import { map, type Observable } from 'rxjs';

/** A reading, with the token of the term in which it was taken. */
export interface Marked<T> {
  readonly token: bigint;
  readonly reading: T;
}

/**
 * Subscribes to `readings$` at the start of each term of `role`, and unsubscribes before the
 * successor leads. Completes when the source closes.
 */
export function readingsWhileLeading<T>(
  role: Role,
  readings$: Observable<T>,
): Observable<Marked<T>> {
  return role.whileLeading(({ token }) => readings$.pipe(map((reading) => ({ token, reading }))));
}
