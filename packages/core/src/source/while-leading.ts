import { from, Observable, type ObservableInput, type Subscription } from 'rxjs';
import type { Leadership } from '../contract/leadership.ts';
import type { Term } from '../contract/term.ts';
import { deferred } from './deferred.ts';

/** Subscribed to `project(term)` from a term's beginning until it is ending; the barrier waits for the teardown. */
export function whileLeading<T>(leadership$: Observable<Leadership>, project: (term: Term) => ObservableInput<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    let stop: (() => void) | undefined;
    const start = (term: Term): void => {
      const done = deferred<void>();
      term.waitUntil(done.promise);
      let inner: Subscription | undefined;
      stop = () => {
        inner?.unsubscribe();
        done.resolve();
      };
      inner = projected(project, term).subscribe({
        next: (value) => subscriber.next(value),
        error: (error: unknown) => {
          done.resolve();
          subscriber.error(error);
        },
        complete: done.resolve,
      });
    };
    const outer = leadership$.subscribe({
      next(leadership) {
        stop?.();
        stop = undefined;
        if (leadership.state === 'leading') start(leadership.term);
      },
      complete: () => subscriber.complete(),
    });
    return () => {
      outer.unsubscribe();
      stop?.();
    };
  });
}

function projected<T>(project: (term: Term) => ObservableInput<T>, term: Term): Observable<T> {
  return new Observable((subscriber) => from(project(term)).subscribe(subscriber));
}
