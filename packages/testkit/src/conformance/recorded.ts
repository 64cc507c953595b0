import type { LeadershipEvent } from '@leadership/core';
import type { Observable } from 'rxjs';

/** Everything a stream said to one subscriber. */
export interface Recorded<T> extends Disposable {
  readonly values: readonly T[];
  readonly completed: boolean;
  /** What it errored with, boxed; a stream of this library never does. */
  readonly error: { readonly cause: unknown } | undefined;
}

/** Subscribes at once, and until disposed. `each` hears of every value as it comes. */
export function recorded<T>(source$: Observable<T>, each: (value: T) => void = () => undefined): Recorded<T> {
  const values: T[] = [];
  let completed = false;
  let error: Recorded<T>['error'];
  const subscription = source$.subscribe({
    next(value) {
      values.push(value);
      each(value);
    },
    error: (cause: unknown) => {
      error = { cause };
    },
    complete: () => {
      completed = true;
    },
  });
  return {
    values,
    get completed() {
      return completed;
    },
    get error() {
      return error;
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  };
}

/** What happened, for the message of a check that something was disturbed in. */
export function toldBy({ values }: Recorded<LeadershipEvent>): string {
  const say = ({ kind, reason, code, message }: LeadershipEvent): string => {
    const why = reason ?? (code && `${code}: ${message}`);
    return why === undefined ? kind : `${kind} (${why})`;
  };
  return values.map(say).join(', ') || 'nothing was told';
}
