// Conformance checks of `whileLeading`, a stream that exists during terms.
import { Observable } from 'rxjs';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';

/** `whileLeading` subscribes during terms. */
export const whileLeadingSubscribes: Check = defineCheck({
  id: 'while-leading',
  title:
    '`whileLeading` subscribes to its projection while this member leads, unsubscribes before the term ends, and completes on close (H2)',
  async run(context) {
    const source = context.open('a');
    const role = source.role(0);
    const ends: boolean[] = [];
    let subscribed = 0;
    const tokens$ = role.whileLeading(
      (term) =>
        new Observable<bigint>((subscriber) => {
          subscribed += 1;
          subscriber.next(term.token);
          return () => ends.push(term.isCurrent());
        }),
    );
    using received = recorded(tokens$);
    const first = await context.until('the projection is subscribed to', () => received.values[0]);
    await context.settled('the leader resigns', role.resign());
    assert(ends.length > 0, 'the projection was not unsubscribed when the term ended');
    assert(ends.at(0) === true, 'the projection was unsubscribed only after the term was over');
    const second = await context.until(
      'the projection is subscribed to in the next term',
      () => received.values[1],
    );
    assert(
      second > first && subscribed === 2,
      'the projection was not subscribed to once per term',
    );
    await context.settled('a closes', source.close());
    assert(
      received.completed && received.error === undefined,
      'whileLeading did not complete on close',
    );
    assert(ends.length === 2, 'the projection was not unsubscribed at close');
  },
});
