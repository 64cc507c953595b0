// An RxJS pipeline that exists only while this member leads.
import type { Role } from '@leadership/core';
import { map, type Observable } from 'rxjs';

/** A reading, marked with the token of the term it was taken in. */
export interface Marked<T> {
  readonly token: bigint;
  readonly reading: T;
}

/** Subscribed to `readings$` in each term of `role`, unsubscribed before the successor begins; completes when the source closes. */
export function readingsWhileLeading<T>(role: Role, readings$: Observable<T>): Observable<Marked<T>> {
  return role.whileLeading(({ token }) => readings$.pipe(map((reading) => ({ token, reading }))));
}
