import { from, Observable, type ObservableInput, Subscription, takeWhile } from 'rxjs';
import type { Leadership } from '../contract/leadership.ts';
import type { Term } from '../contract/term.ts';
import { deferred } from './deferred.ts';
import { holdOpen } from './hold-open.ts';

/** Subscribed to `project(term)` from a term's beginning until it is ending; the barrier waits for the teardown. */
export function whileLeading<T>(leadership$: Observable<Leadership>, project: (term: Term) => ObservableInput<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    let stop: (() => void) | undefined;
    const start = (term: Term): void => {
      const done = deferred<void>();
      if (!holdOpen(term, done.promise)) return;
      const inner = new Subscription(() => done.resolve());
      stop = () => inner.unsubscribe();
      const isOn = (): boolean => !inner.closed && !subscriber.closed;
      const told = projected(project, term, isOn).subscribe({
        next: (value) => subscriber.next(value),
        error: (error: unknown) => subscriber.error(error),
        complete: () => inner.unsubscribe(),
      });
      // Ended by what it told in the very call that subscribed: then this unsubscribes it.
      inner.add(told);
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

/** Told only while `isOn`: a projection that emits synchronously must not outrun its own end. */
function projected<T>(project: (term: Term) => ObservableInput<T>, term: Term, isOn: () => boolean): Observable<T> {
  const projection$ = new Observable<T>((subscriber) => from(project(term)).subscribe(subscriber));
  return projection$.pipe(takeWhile(isOn));
}
