import { from, Observable, type ObservableInput, Subscription, takeWhile } from 'rxjs';
import { deferred } from '../async/deferred.ts';
import type { Leadership } from '../contract/leadership.ts';
import type { Term } from '../contract/term.ts';
import { holdOpen } from './hold-open.ts';

/**
 * Subscribes to `project(term)` from the beginning of a term until it is ending. The barrier waits
 * for the teardown.
 */
export function whileLeading<T>(
  leadership$: Observable<Leadership>,
  project: (term: Term) => ObservableInput<T>,
): Observable<T> {
  return new Observable<T>((subscriber) => {
    let stop: (() => void) | undefined;
    const start = (term: Term): void => {
      const done = deferred<void>();
      if (!holdOpen(term, done.promise)) return;
      const inner = new Subscription(() => done.resolve());
      stop = () => inner.unsubscribe();
      const isOn = (): boolean => !inner.closed && !subscriber.closed;
      const emitted = projected(project, term, isOn).subscribe({
        next: (value) => subscriber.next(value),
        error: (error: unknown) => subscriber.error(error),
        complete: () => inner.unsubscribe(),
      });
      // A synchronous value may already have ended the inner subscription. Then this call
      // unsubscribes.
      inner.add(emitted);
    };
    const outer = leadership$.subscribe({
      next(leadership) {
        stop?.();
        stop = undefined;
        if (leadership.state === 'leading') start(leadership.term);
        if (leadership.state === 'refused') subscriber.error(leadership.error);
      },
      complete: () => subscriber.complete(),
    });
    return () => {
      outer.unsubscribe();
      stop?.();
    };
  });
}

/**
 * Emits only while `isOn`, because a projection that emits synchronously must stop when the term
 * ends.
 */
function projected<T>(
  project: (term: Term) => ObservableInput<T>,
  term: Term,
  isOn: () => boolean,
): Observable<T> {
  const projection$ = new Observable<T>((subscriber) => from(project(term)).subscribe(subscriber));
  return projection$.pipe(takeWhile(isOn));
}
