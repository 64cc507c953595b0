// Records what a stream emits, for a check.
import type { LeadershipEvent } from '@leadership/core';
import type { Observable } from 'rxjs';

/** The notifications of a stream to one subscriber. */
export interface Recorded<T> extends Disposable {
  readonly values: readonly T[];
  readonly completed: boolean;
  /**
   * The error, in a wrapper because any value can be thrown. Streams of this library never error.
   */
  readonly error: { readonly cause: unknown } | undefined;
}

/**
 * Subscribes immediately and records until disposed. `each` is called synchronously with every
 * value.
 */
export function recorded<T>(
  source$: Observable<T>,
  each: (value: T) => void = () => undefined,
): Recorded<T> {
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

/** Formats the recorded events for an error message. */
export function reportedBy({ values }: Recorded<LeadershipEvent>): string {
  const say = ({ kind, reason, code, message }: LeadershipEvent): string => {
    const why = reason ?? (code && `${code}: ${message}`);
    return why === undefined ? kind : `${kind} (${why})`;
  };
  return values.map(say).join(', ') || 'nothing was told';
}
