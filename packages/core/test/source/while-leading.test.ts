import { interval, map, NEVER, Observable, of, take, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Term } from '../../src/contract/term.ts';
import { turn } from '../support/manual-clock.ts';
import { type SteeredSource, steeredSource } from '../support/steered-backend.ts';

/** The values of a projection, and when it was subscribed and unsubscribed. */
function watched(steered: SteeredSource, project: (term: Term) => Observable<unknown>): unknown[] {
  const reported: unknown[] = [];
  const projection = (term: Term): Observable<unknown> =>
    new Observable((subscriber) => {
      reported.push(`on ${term.token}`);
      const inner = project(term).subscribe(subscriber);
      return () => {
        inner.unsubscribe();
        reported.push(`off ${term.token}`);
      };
    });
  steered.source
    .role(0)
    .whileLeading(projection)
    .subscribe({
      next: (value) => reported.push(value),
      error: (error: unknown) => reported.push(String(error)),
      complete: () => reported.push('complete'),
    });
  return reported;
}

/** Returns an observable that counts up until it is unsubscribed, and the number of its values. */
function counting(): { readonly endless: Observable<number>; readonly emitted: () => number } {
  let emitted = 0;
  const endless = new Observable<number>((subscriber) => {
    while (!subscriber.closed && emitted < 1000) {
      emitted += 1;
      subscriber.next(emitted);
    }
  });
  return { endless, emitted: () => emitted };
}

describe('whileLeading', () => {
  it('is subscribed from the beginning of each term until it is ending, and completes with the source', async () => {
    const steered = steeredSource();
    const reported = watched(
      steered,
      (term) => new Observable((subscriber) => subscriber.next(term.token)),
    );
    steered.grant(7n);
    const end = steered.revoke();
    expect(reported).toEqual(['on 7', 7n, 'off 7']);
    expect(await end).toBe('drained');
    steered.grant(8n);
    steered.clock.block(1000);
    expect(steered.source.role(0).term()).toBeUndefined();
    steered.grant(9n);
    expect(reported.slice(3)).toEqual(['on 8', 8n, 'off 8', 'on 9', 9n]);
    await steered.source.close();
    expect(reported.slice(-2)).toEqual(['off 9', 'complete']);
  });

  it('does not delay the barrier after its projection completes or it is unsubscribed', async () => {
    const { source, grant, revoke } = steeredSource();
    source
      .role(0)
      .whileLeading(() => of(1))
      .subscribe();
    source
      .role(0)
      .whileLeading(() => NEVER)
      .subscribe()
      .unsubscribe();
    grant(7n);
    expect(await revoke()).toBe('drained');
    await source.close();
  });

  it.each([
    ['fails', (): Observable<never> => throwError(() => new Error('no'))],
    [
      'throws',
      (): never => {
        throw new Error('no');
      },
    ],
  ])('errors if the projection %s, and then does not delay the barrier', async (_, project) => {
    const steered = steeredSource();
    const errors: unknown[] = [];
    steered.source
      .role(0)
      .whileLeading(project)
      .subscribe({ error: (error: unknown) => errors.push(String(error)) });
    steered.grant(7n);
    expect(errors).toEqual(['Error: no']);
    expect(await steered.revoke()).toBe('drained');
    await steered.source.close();
  });

  it('emits nothing more after it ends its own term during an emission', async () => {
    const steered = steeredSource();
    const reported: unknown[] = [];
    const { endless, emitted } = counting();
    steered.source
      .role(0)
      .whileLeading(() => endless)
      .subscribe((value) => {
        reported.push(value);
        if (value === 3) void steered.source.close({ signal: AbortSignal.abort() });
      });
    steered.grant(7n);
    expect([reported, emitted()]).toEqual([[1, 2, 3], 4]);
    await steered.source.close();
  });

  it('is unsubscribed even if its end comes during the subscription', async () => {
    const steered = steeredSource();
    const reported = watched(steered, (term) => {
      void steered.source.close({ signal: AbortSignal.abort() });
      return interval(1).pipe(map(() => term.token));
    });
    steered.grant(7n);
    expect(reported).toEqual(['on 7', 'off 7']);
    await steered.source.close();
  });

  it('can be left by a downstream operator', async () => {
    const steered = steeredSource();
    const reported: unknown[] = [];
    const { endless, emitted } = counting();
    steered.source
      .role(0)
      .whileLeading(() => endless)
      .pipe(take(2))
      .subscribe((value) => reported.push(value));
    steered.grant(7n);
    expect([reported, emitted()]).toEqual([[1, 2], 3]);
    expect(await steered.revoke()).toBe('drained');
    await turn();
    await steered.source.close();
  });
});
